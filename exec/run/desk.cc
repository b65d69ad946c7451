// The memory between a caller and its ranks. It is mapped before any rank is started, anonymous and shared, so that
// forked processes and threads see the same bytes and nothing is left behind whatever happens to them. The meeting
// point comes first, then a note per rank, then all boxes and the algorithms of products, each on a cache line of its
// own. Pages that nobody touches take no memory. Cost: the sum of all boxes; those of replicas lie there once for each
// rank, as they do on devices.
#include "exec/run/desk.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "exec/run/boxes.h"

namespace isoshard::exec {

/// What one rank says beside its words.
struct Desk::Note {
  double seconds;
  std::chrono::steady_clock::time_point left;  // of one clock for all processes of a machine
  int64_t issued;
  size_t algorithms;
  Failure::Kind kind;
  char message[4096];
};

namespace {

constexpr size_t kLine = 64;
size_t on_a_line(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }
const size_t kMeetingBytes = on_a_line(sizeof(MeetingPoint));

size_t products_in(const calls::CallList& list) {
  const auto is_product = [](const calls::Call& call) { return std::holds_alternative<calls::Product>(call.what); };
  return static_cast<size_t>(std::count_if(list.calls.begin(), list.calls.end(), is_product));
}

}  // namespace

DeskBox Desk::place(size_t bytes) {
  const DeskBox box{size_, bytes};
  size_ += on_a_line(bytes);
  return box;
}

Outcome<std::shared_ptr<Desk>> Desk::make(const Plan& plan, std::span<const calls::CallList> lists) {
  std::shared_ptr<Desk> desk(new Desk);
  desk->size_ = kMeetingBytes + lists.size() * on_a_line(sizeof(Note));
  for (const calls::CallList& list : lists) {
    auto& inputs = desk->inputs_.emplace_back();
    for (const calls::HeldBox& box : list.inputs)
      inputs.push_back(desk->place(box_bytes(box.range, plan.globals[box.of].type.dtype)));
    auto& outputs = desk->outputs_.emplace_back();
    for (const calls::HeldBox& box : list.outputs)
      outputs.push_back(desk->place(box_bytes(box.range, plan.outputs[box.of].type.dtype)));
    desk->algorithms_.push_back(desk->place(products_in(list) * sizeof(UsedAlgorithm)));
  }
  void* memory = mmap(nullptr, desk->size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return tl::unexpected(
        Failure{Failure::Kind::failed,
                std::to_string(desk->size_) + " bytes for inputs and outputs of all ranks: " + std::strerror(errno)});
  }
  desk->memory_ = static_cast<std::byte*>(memory);
  return desk;
}

Desk::~Desk() {
  if (memory_ != nullptr) munmap(memory_, size_);
}

MeetingPoint& Desk::meeting() const { return *reinterpret_cast<MeetingPoint*>(memory_); }

Desk::Note& Desk::note(size_t rank) const {
  return *reinterpret_cast<Note*>(memory_ + kMeetingBytes + rank * on_a_line(sizeof(Note)));
}

double& Desk::seconds(size_t rank) const { return note(rank).seconds; }

int64_t& Desk::issued(size_t rank) const { return note(rank).issued; }

std::span<const UsedAlgorithm> Desk::algorithms(size_t rank) const {
  const auto* const first = reinterpret_cast<const UsedAlgorithm*>(bytes_of(algorithms_[rank]).data());
  return {first, note(rank).algorithms};
}

void Desk::leave(size_t rank, std::span<const UsedAlgorithm> algorithms) const {
  const std::span<std::byte> room = bytes_of(algorithms_[rank]);
  note(rank).algorithms = std::min(algorithms.size(), room.size() / sizeof(UsedAlgorithm));
  std::copy_n(algorithms.begin(), note(rank).algorithms, reinterpret_cast<UsedAlgorithm*>(room.data()));
}

void Desk::leave(size_t rank, const Failure& failure) const {
  Note& left = note(rank);
  left.left = std::chrono::steady_clock::now();
  left.kind = failure.kind;
  const size_t length = std::min(failure.message.size(), sizeof left.message - 1);
  std::memcpy(left.message, failure.message.data(), length);
  left.message[length] = '\0';
}

std::chrono::steady_clock::time_point Desk::left_at(size_t rank) const { return note(rank).left; }

Failure Desk::failure(size_t rank) const { return {note(rank).kind, note(rank).message}; }

}  // namespace isoshard::exec
