// Calls that are made to fail, and ranks that are made to stop.
#include "tests/standin/faults.h"

#include <map>

#include "tests/standin/machine.h"

namespace standin {
namespace {

struct Faults {
  int64_t calls = 0;
  std::map<int64_t, Errors> failing;  ///< by number of the call
  int64_t stops_at = -1;
};

std::map<int, Faults>& all_faults() {
  static auto* all = new std::map<int, Faults>;
  return *all;
}

const Errors kGone{cudaErrorDevicesUnavailable, ncclUnhandledCudaError, CUBLAS_STATUS_NOT_INITIALIZED};

}  // namespace

std::optional<Errors> fault_of_call(int rank) {
  Faults& faults = all_faults()[rank];
  const int64_t number = ++faults.calls;
  if (number == faults.stops_at) Machine::get().stop(rank);
  if (Machine::get().is_gone(rank)) return kGone;
  const auto found = faults.failing.find(number);
  return found == faults.failing.end() ? std::nullopt : std::optional(found->second);
}

void reset_faults() { all_faults().clear(); }

void fail_at(int rank, int64_t n, const Errors& errors) {
  const Lock lock(Machine::get().mutex);
  all_faults()[rank].failing[n] = errors;
}

void stop_rank_at(int rank, int64_t n) {
  const Lock lock(Machine::get().mutex);
  all_faults()[rank].stops_at = n;
}

int64_t calls(int rank) {
  const Lock lock(Machine::get().mutex);
  return all_faults()[rank].calls;
}

}  // namespace standin
