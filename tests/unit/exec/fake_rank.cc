#include "tests/unit/exec/fake_rank.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace isoshard::exec::testing {
namespace {

std::atomic<bool> released{false};

/// Of floats, as all boxes of fakes are.
size_t bytes_of(const IndexRange& range) {
  size_t bytes = sizeof(float);
  for (size_t d = 0; d < range.begin.size(); ++d) bytes *= static_cast<size_t>(range.end[d] - range.begin[d]);
  return bytes;
}

class FakeRank final : public Rank {
 public:
  FakeRank(const calls::CallList& list, const Seat& seat, const Faults& faults)
      : list_(list), rank_(static_cast<size_t>(seat.rank)), faults_(faults), memory_(static_cast<size_t>(list.bytes)) {}

  Outcome<> write(calls::Place place, std::span<const std::byte> bytes) override {
    std::memcpy(memory_.data() + place, bytes.data(), bytes.size());
    return {};
  }

  Outcome<> read(calls::Place place, std::span<std::byte> bytes) override {
    std::memcpy(bytes.data(), memory_.data() + place, bytes.size());
    return {};
  }

  Outcome<> step() override {
    for (size_t i = 0; i < list_.inputs.size(); ++i) {
      const size_t bytes = bytes_of(list_.inputs[i].range);
      std::memcpy(memory_.data() + list_.outputs[i].place, memory_.data() + list_.inputs[i].place, bytes);
    }
    const bool is_wrong = rank_ == faults_.rank && ++steps_ >= faults_.step;
    return is_wrong ? fail() : Outcome<>();
  }

  double seconds() const override { return 0.001 * static_cast<double>(rank_ + 1); }
  Outcome<> finish() override { return {}; }

 private:
  Outcome<> fail() {
    switch (faults_.fault) {
      case Fault::says_so:
        return tl::unexpected(Failure{Failure::Kind::failed, "p.shard:3:5: all_reduce %h: unhandled system error"});
      case Fault::times_out:
        return tl::unexpected(Failure{Failure::Kind::timed_out, "p.shard:3:5: all_reduce %h did not end"});
      case Fault::waits_elsewhere:
        return tl::unexpected(
            Failure{Failure::Kind::timed_out, "p.shard:7:5: all_gather %q: call 1 of 2 has not ended in time"});
      case Fault::cannot:
        return tl::unexpected(Failure{Failure::Kind::unsupported, "p.shard:3:5: no kernel for this"});
      case Fault::dies:
        raise(SIGKILL);
        break;
      case Fault::exits:
        _exit(7);
      case Fault::throws:
        throw std::runtime_error("no more memory");
      case Fault::hangs:
        while (!released) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        break;
      case Fault::differs:
        memory_[static_cast<size_t>(list_.outputs.back().place)] ^= std::byte{1};
        break;
      case Fault::says_late:
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        return tl::unexpected(Failure{Failure::Kind::failed, "p.shard:3:5: all_reduce %h: an inner error"});
      case Fault::none:
        break;
    }
    return {};
  }

  const calls::CallList& list_;
  size_t rank_;
  Faults faults_;
  int steps_ = 0;
  std::vector<std::byte> memory_;
};

}  // namespace

void hold_all() { released = false; }
void release_all() { released = true; }

Outcome<std::string> FakeBackend::describe() { return "a fake, NCCL 2.28.9"; }

Outcome<int> FakeBackend::devices() { return devices_; }

Outcome<MeetingPoint> FakeBackend::meeting_point() {
  MeetingPoint point{};
  point[5] = std::byte{42};
  return point;
}

Outcome<std::unique_ptr<Rank>> FakeBackend::open(const calls::CallList& list, const Seat& seat, const RankOptions&) {
  if (seat.meeting[5] == std::byte{42}) return std::make_unique<FakeRank>(list, seat, faults_);
  return tl::unexpected(Failure{Failure::Kind::failed, "another meeting point"});
}

}  // namespace isoshard::exec::testing
