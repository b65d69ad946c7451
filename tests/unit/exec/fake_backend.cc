#include "tests/unit/exec/fake_backend.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "core/plan/passes/lower.h"
#include "core/text/text.h"
#include "exec/run/boxes.h"
#include "exec/run/steps.h"

namespace isoshard::exec::testing {
namespace {

std::atomic<bool> released{false};

constexpr const char* kEcho = R"(isoshard 1
mesh @m [data=2]
global @x : f32[4] input
global @w : f32[2] param
program @echo on @m {
  %x = view @x [data]
  %w = view @w [-]
  return @y = %x [data]
  update @w = %w [-]
}
)";

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
      const size_t bytes = box_bytes(list_.inputs[i].range, DType::f32);
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
        memory_[static_cast<size_t>(list_.outputs[1].place)] ^= std::byte{1};
        break;
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

class FakeBackend final : public Backend {
 public:
  FakeBackend(const Faults& faults, int devices) : faults_(faults), devices_(devices) {}

  Outcome<std::string> describe() override { return "a fake, NCCL 2.28.9"; }
  Outcome<int> devices() override { return devices_; }
  Outcome<MeetingPoint> meeting_point() override {
    MeetingPoint point{};
    point[5] = std::byte{42};
    return point;
  }
  Outcome<std::unique_ptr<Rank>> open(const calls::CallList& list, const Seat& seat, const RankOptions&) override {
    if (seat.meeting[5] != std::byte{42} || seat.ranks != 2) {
      return tl::unexpected(Failure{Failure::Kind::failed, "another meeting point"});
    }
    return std::make_unique<FakeRank>(list, seat, faults_);
  }

 private:
  Faults faults_;
  int devices_;
};

}  // namespace

OpenBackend fake_backend(const Faults& faults, int devices) {
  released = false;
  return [backend = std::make_shared<FakeBackend>(faults, devices)]() -> Outcome<Backend*> { return backend.get(); };
}

void release_all() { released = true; }

Plan echo_plan() {
  DiagnosticSink sink;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"echo.shard", kEcho});
  const std::optional<Module> module = text::parse_module(file, {}, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  return lower(*module, ProgramId(0));
}

std::vector<calls::CallList> echo_lists() {
  std::vector<calls::CallList> lists(2);
  for (int64_t rank = 0; rank < 2; ++rank) {
    calls::CallList& list = lists[static_cast<size_t>(rank)];
    const IndexRange half{{2 * rank}, {2 * rank + 2}}, all{{0}, {2}};
    list.position = rank;
    list.bytes = 1024;
    list.inputs = {{0, half, 0}, {1, all, 256}};
    list.outputs = {{0, half, 512}, {1, all, 768}};
  }
  return lists;
}

std::shared_ptr<Job> echo_job(const Plan& plan, const OpenBackend& open_backend) {
  auto job = std::make_shared<Job>();
  job->lists = echo_lists();
  job->devices = {0, 1};
  job->updated = updated_globals(plan);
  job->options.deadline = 0.3;
  job->open_backend = open_backend;
  job->desk = *Desk::make(plan, job->lists);
  return job;
}

}  // namespace isoshard::exec::testing
