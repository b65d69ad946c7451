// What a thread of the host is to the stand-in: the rank of a device, or none.
#include "tests/standin/calls.h"

namespace standin {
namespace {

struct Thread {
  int device = 0;
  bool chosen = false;  ///< by cudaSetDevice
  cudaError_t last = cudaSuccess;
  ~Thread() {
    const Lock lock(Machine::get().mutex);
    Machine::get().depart();
  }
};

Thread& this_thread() {
  thread_local Thread thread;
  return thread;
}

}  // namespace

int current_device() { return this_thread().device; }

int current_rank() { return this_thread().chosen ? this_thread().device : -1; }

void become_rank(int device) {
  this_thread().device = device;
  this_thread().chosen = true;
  if (!Machine::get().is_gone(device)) Machine::get().arrive(device);
}

std::optional<Errors> count_call(const char* name) {
  Lock lock(Machine::get().mutex);
  return fault_of_call(lock, current_rank(), name);
}

cudaError_t remembered(cudaError_t error) {
  if (error != cudaSuccess) this_thread().last = error;
  return error;
}

cudaError_t last_error(bool forget) {
  const cudaError_t last = this_thread().last;
  if (forget) this_thread().last = cudaSuccess;
  return last;
}

}  // namespace standin
