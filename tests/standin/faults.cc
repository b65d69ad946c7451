// Calls that are made to fail, and ranks that are made to stop.
#include "tests/standin/faults.h"

#include <map>

#include "tests/standin/calls.h"
#include "tests/standin/nccl_matching.h"

namespace standin {
namespace {

struct Faults {
  int64_t calls = 0;
  std::map<int64_t, Errors> failing;  ///< by number of the call
  int64_t stops_at = -1;
  bool gone = false;
};

std::map<int, Faults>& all_faults() {
  static auto* all = new std::map<int, Faults>;
  return *all;
}

const Errors kGone{cudaErrorDevicesUnavailable, ncclUnhandledCudaError, CUBLAS_STATUS_NOT_INITIALIZED};

void stop(int rank) {
  all_faults()[rank].gone = true;
  Machine::get().remove_rank(rank);
  leave_communicators(rank);
  cease_to_be_rank();
  Machine::get().changed();
}

}  // namespace

std::optional<Errors> fault_of_call(int rank) {
  Faults& faults = all_faults()[rank];
  const int64_t number = ++faults.calls;
  if (number == faults.stops_at) stop(rank);
  if (faults.gone) return kGone;
  const auto found = faults.failing.find(number);
  return found == faults.failing.end() ? std::nullopt : std::optional(found->second);
}

bool rank_is_gone(int rank) { return all_faults()[rank].gone; }

bool any_rank_gone() {
  for (const auto& [rank, faults] : all_faults()) {
    if (faults.gone) return true;
  }
  return false;
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
