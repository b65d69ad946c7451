// A rank that is two: what exec issues and what is written by hand, in one process, on one device, with memory of their
// own, so that both are timed under the same clock and find the same others. The ranks by hand meet at the meeting
// point of the job and hand on a second one, made by NCCL for those of exec, as an id is for one meeting. Nothing is
// loaded before a rank runs, which may be in a process that is forked. Cost: the memory of both.
#include "bench/gpu/programs/alternating.h"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>

namespace isoshard::bench {
namespace {

using exec::Failure;
using exec::Outcome;

Outcome<ByHand*> load_by_hand(exec::Device device) {
  const std::string name =
      device == exec::Device::cuda ? "libisoshard_by_hand_cuda.so" : "libisoshard_by_hand_standin.so";
  std::string folders;
  for (const std::string& folder : exec::library_folders()) {
    folders += (folders.empty() ? "" : ", ") + folder;
    const std::string path = (std::filesystem::path(folder) / name).string();
    if (access(path.c_str(), F_OK) != 0) continue;
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    const char* const error = library == nullptr ? dlerror() : "";
    if (library == nullptr) return tl::unexpected(Failure{Failure::Kind::no_device, error});
    auto* const make = reinterpret_cast<ByHandFunction*>(dlsym(library, kByHandSymbol));
    if (make != nullptr) return make();
    return tl::unexpected(Failure{Failure::Kind::failed, path + " has no " + kByHandSymbol});
  }
  return tl::unexpected(Failure{Failure::Kind::no_device, name + " is in none of " + folders +
                                                              "; build it beside exec_bench, or name its folder in "
                                                              "ISOSHARD_EXEC_PATH"});
}

class AlternatingRank final : public exec::Rank {
 public:
  AlternatingRank(std::unique_ptr<exec::Rank> planned, std::unique_ptr<HandRank> by_hand)
      : planned_(std::move(planned)), by_hand_(std::move(by_hand)) {}

  Outcome<> write(calls::Place place, std::span<const std::byte> bytes) override {
    Outcome<> written = planned_->write(place, bytes);
    return written ? by_hand_->write(place, bytes) : written;
  }
  Outcome<> read(calls::Place place, std::span<std::byte> bytes) override { return last().read(place, bytes); }
  Outcome<> step() override {
    planned_was_last_ = !planned_was_last_;
    return last().step();
  }
  double seconds() const override { return planned_was_last_ ? planned_->seconds() : by_hand_->seconds(); }
  Outcome<> finish() override {
    Outcome<> finished = planned_->finish();
    return finished ? by_hand_->finish() : finished;
  }

 private:
  exec::Rank& last() { return planned_was_last_ ? *planned_ : static_cast<exec::Rank&>(*by_hand_); }

  std::unique_ptr<exec::Rank> planned_;
  std::unique_ptr<HandRank> by_hand_;
  bool planned_was_last_ = false;
};

class Alternating final : public exec::Backend {
 public:
  Alternating(exec::Device device, const HandWork& work) : device_(device), work_(work) {}

  Outcome<std::string> describe() override {
    return exec::load_backend(device_).and_then([](exec::Backend* planned) { return planned->describe(); });
  }
  Outcome<int> devices() override {
    return exec::load_backend(device_).and_then([](exec::Backend* planned) { return planned->devices(); });
  }
  std::string bus_id(int device) override {
    const Outcome<exec::Backend*> planned = exec::load_backend(device_);
    return planned ? (*planned)->bus_id(device) : "";
  }
  Outcome<exec::MeetingPoint> meeting_point() override {
    return load_by_hand(device_).and_then([](ByHand* by_hand) { return by_hand->meeting_point(); });
  }
  Outcome<std::unique_ptr<exec::Rank>> open(const calls::CallList& list, const exec::Seat& seat,
                                            const exec::RankOptions& options) override {
    const Outcome<exec::Backend*> backend = exec::load_backend(device_);
    if (!backend) return tl::unexpected(backend.error());
    Outcome<std::unique_ptr<HandRank>> by_hand =
        load_by_hand(device_).and_then([&](ByHand* library) { return library->open(work_, list, seat, options); });
    if (!by_hand) return tl::unexpected(by_hand.error());
    exec::Seat second = seat;
    if (seat.rank == 0) {
      const Outcome<exec::MeetingPoint> made = (*backend)->meeting_point();
      if (!made) return tl::unexpected(made.error());
      second.meeting = *made;
    }
    const Outcome<exec::MeetingPoint> shared = (*by_hand)->share(second.meeting);
    if (!shared) return tl::unexpected(shared.error());
    second.meeting = *shared;
    Outcome<std::unique_ptr<exec::Rank>> planned = (*backend)->open(list, second, options);
    if (!planned) return planned;
    return std::make_unique<AlternatingRank>(std::move(*planned), std::move(*by_hand));
  }

 private:
  exec::Device device_;
  HandWork work_;
};

}  // namespace

exec::OpenBackend open_alternating(exec::Device device, const HandWork& work) {
  return [backend = std::make_shared<Alternating>(device, work)]() -> Outcome<exec::Backend*> { return backend.get(); };
}

}  // namespace isoshard::bench
