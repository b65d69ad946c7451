// What a thread of the host is to the stand-in: the rank of a device, or none.
#include "tests/standin/calls.h"

namespace standin {
namespace {

struct Thread {
  int device = 0;
  bool rank = false;
  int64_t generation = 0;  ///< of the machine when it became one
  cudaError_t last = cudaSuccess;
  ~Thread() {
    const Lock lock(Machine::get().mutex);
    cease_to_be_rank();
  }
};

Thread& this_thread() {
  thread_local Thread thread;
  return thread;
}

}  // namespace

int current_device() { return this_thread().device; }

bool is_rank() { return this_thread().rank && this_thread().generation == Machine::get().generation(); }

void become_rank(int device) {
  Thread& thread = this_thread();
  thread.device = device;
  if (is_rank() || rank_is_gone(device)) return;
  thread.rank = true;
  thread.generation = Machine::get().generation();
  Machine::get().arrive();
}

void cease_to_be_rank() {
  const bool was = is_rank();
  this_thread().rank = false;
  if (was) Machine::get().depart();
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
