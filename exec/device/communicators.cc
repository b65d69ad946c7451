// Communicators that do not block. NCCL answers ncclInProgress where it is not done with a call, and what depends on
// the call may not be issued before it is; so every call is settled by polling, with a deadline. One unique id serves
// all: the world is made of it, and each communicator of the Plan is split from the world in table order, on every
// rank, also on those that take no part. Cost: one exchange between all ranks per communicator.
#include "exec/device/communicators.h"

#include <cstring>
#include <thread>
#include <utility>

#include "exec/device/status.h"

namespace isoshard::exec {
namespace {

ncclConfig_t config_of(const char* name) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  config.commName = name;
  return config;
}

}  // namespace

Deadline in_seconds(double seconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

Outcome<> Communicators::settle(ncclResult_t status, ncclComm_t communicator, const char* call,
                                Deadline deadline) const {
  bool asked = false;
  // Also after ncclSuccess, which ncclCommSplit answers where it has only begun (NCCL 2.28.9).
  while (status == ncclInProgress || (status == ncclSuccess && !asked)) {
    asked = true;
    const ncclResult_t answered = ncclCommGetAsyncError(communicator, &status);
    if (answered != ncclSuccess) status = answered;
    if (status != ncclInProgress) break;
    if (std::chrono::steady_clock::now() > deadline) {
      return tl::unexpected(Failure{Failure::Kind::timed_out, std::string(call) + " was not taken in time"});
    }
    std::this_thread::yield();
  }
  if (status != ncclSuccess) return tl::unexpected(nccl_failure(status, call, communicator));
  return {};
}

Outcome<> Communicators::join(const calls::CallList& list, const Seat& seat, double seconds, Issuer& issuer) {
  if (list.communicators.empty()) return {};
  const Deadline deadline = in_seconds(seconds);
  ncclUniqueId id;
  static_assert(sizeof id == sizeof(MeetingPoint));
  std::memcpy(&id, seat.meeting.data(), sizeof id);
  ncclConfig_t config = config_of("world");
  ncclResult_t status = issuer.meet(&all_, static_cast<int>(seat.ranks), id, static_cast<int>(seat.rank), &config);
  if (Outcome<> settled = settle(status, all_, "ncclCommInitRankConfig", deadline); !settled) return settled;
  split_.reserve(list.communicators.size() + 1);  // NCCL writes into it for as long as a split is in progress
  split_.assign(list.communicators.size(), nullptr);
  for (size_t c = 0; c < list.communicators.size(); ++c) {
    const calls::Membership& membership = list.communicators[c];
    ncclConfig_t own = config_of(membership.name.c_str());
    const int color = membership.color < 0 ? NCCL_SPLIT_NOCOLOR : static_cast<int>(membership.color);
    status = issuer.split(all_, color, static_cast<int>(membership.index), &split_[c], &own);
    if (Outcome<> settled = settle(status, all_, "ncclCommSplit", deadline); !settled) return settled;
    if (color != NCCL_SPLIT_NOCOLOR) {
      if (Outcome<> settled = settle(ncclSuccess, split_[c], "ncclCommSplit", deadline); !settled) return settled;
    }
    status = issuer.has_split(split_[c]);
    if (status != ncclSuccess) return tl::unexpected(nccl_failure(status, "ncclCommSplit", split_[c]));
  }
  return {};
}

Outcome<> Communicators::check() const {
  std::vector<ncclComm_t> every = split_;
  every.push_back(all_);
  for (const ncclComm_t communicator : every) {
    if (communicator == nullptr) continue;
    ncclResult_t status = ncclSuccess;
    const ncclResult_t asked = ncclCommGetAsyncError(communicator, &status);
    if (asked != ncclSuccess) status = asked;
    if (status != ncclSuccess && status != ncclInProgress) {
      return tl::unexpected(nccl_failure(status, "a communicator reports an error", communicator));
    }
  }
  return {};
}

Outcome<> Communicators::finish(double seconds) {
  const Deadline deadline = in_seconds(seconds);
  split_.push_back(all_);
  all_ = nullptr;
  for (ncclComm_t& communicator : split_) {
    if (communicator == nullptr) continue;
    Outcome<> settled = settle(ncclCommFinalize(communicator), communicator, "ncclCommFinalize", deadline);
    if (!settled) return settled;
    const ncclResult_t status = ncclCommDestroy(communicator);
    communicator = nullptr;
    if (status != ncclSuccess && status != ncclInProgress) {
      return tl::unexpected(nccl_failure(status, "ncclCommDestroy", nullptr));
    }
  }
  split_.clear();
  return {};
}

void Communicators::abort() {
  const auto abort_splits = [this] {
    for (ncclComm_t& communicator : split_) {
      if (communicator != nullptr) ncclCommAbort(std::exchange(communicator, nullptr));
    }
  };
  abort_splits();
  if (all_ != nullptr) ncclCommAbort(std::exchange(all_, nullptr));
  abort_splits();  // one that was still in progress
  split_.clear();
}

}  // namespace isoshard::exec
