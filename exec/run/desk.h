#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/plan/calls/call_list.h"
#include "core/plan/plan.h"
#include "exec/backend.h"

namespace isoshard::exec {

/// Where the bytes of one held box lie on a Desk.
struct DeskBox {
  size_t offset = 0;
  size_t bytes = 0;
};

/// Memory that the caller shares with all ranks, be they threads or processes that are forked later: the boxes that go
/// in and out, where ranks meet, and what each has to say. Who writes when is what Ports say.
class Desk {
 public:
  /// A desk for the boxes of all lists, by rank; `failed` where there is not so much memory.
  static Outcome<std::shared_ptr<Desk>> make(const Plan& plan, std::span<const calls::CallList> lists);
  ~Desk();
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  std::span<std::byte> input(size_t rank, size_t i) const { return bytes_of(inputs_[rank][i]); }
  std::span<std::byte> output(size_t rank, size_t i) const { return bytes_of(outputs_[rank][i]); }
  MeetingPoint& meeting() const;
  /// Seconds that the last step of a rank took on its device.
  double& seconds(size_t rank) const;

  /// Calls that a rank was seen to issue as listed, since it was opened.
  int64_t& issued(size_t rank) const;

  /// The algorithms that a rank has for its products, which has left them since it was opened.
  std::span<const UsedAlgorithm> algorithms(size_t rank) const;
  void leave(size_t rank, std::span<const UsedAlgorithm> algorithms) const;

  /// What a rank that fails leaves; a text that is too long is cut.
  void leave(size_t rank, const Failure& failure) const;
  Failure failure(size_t rank) const;
  /// When it left that: of failures the first is more likely the cause of the others.
  std::chrono::steady_clock::time_point left_at(size_t rank) const;

 private:
  struct Note;
  Desk() = default;
  Note& note(size_t rank) const;
  std::span<std::byte> bytes_of(const DeskBox& box) const { return {memory_ + box.offset, box.bytes}; }
  DeskBox place(size_t bytes);

  std::vector<std::vector<DeskBox>> inputs_, outputs_;  ///< by rank, as in its list
  std::vector<DeskBox> algorithms_;                     ///< by rank: room for one of each product in its list
  size_t size_ = 0;
  std::byte* memory_ = nullptr;
};

}  // namespace isoshard::exec
