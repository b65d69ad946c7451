// How the ranks of a launched job come together: each says what it runs, and none goes on before all have and rank 0
// has compared them, so that nothing is allocated, and no collective begun, in a job that cannot end well. Cost: a
// frame each way.
#include "exec/launch/gather.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "exec/launch/messages.h"
#include "exec/store/time_left.h"

namespace isoshard::exec {
namespace {

constexpr double kSecondsToSend = 2, kMoment = 0.01;

/// Who has come so far.
class Gathering {
 public:
  Gathering(const Introduction& own, size_t ranks) : own_(own), come_(ranks, false) {
    come_[0] = true;
    on_.emplace(own.device, 0);
  }

  bool is_whole() const { return std::find(come_.begin(), come_.end(), false) == come_.end(); }

  Outcome<> take(const Arrival& arrival) {
    const std::string who = "rank " + std::to_string(arrival.rank);
    if (!arrival.frame) return failed(who + " " + arrival.why + " before all ranks had come");
    const std::optional<Introduction> other = introduction_in(*arrival.frame);
    if (!other) return failed(who + " does not say what it runs; expected the same version of isoshard");
    if (const std::optional<std::string> text = difference(own_, *other, arrival.rank)) return failed(*text);
    const auto [same, is_new] = on_.try_emplace(other->device, arrival.rank);
    if (!is_new && !other->device.empty()) {
      return failed("ranks " + std::to_string(same->second) + " and " + std::to_string(arrival.rank) +
                        " have the same GPU, " + other->device +
                        ": expected one for each rank, or --oversubscribe, with which timings mean nothing",
                    Failure::Kind::no_device);
    }
    come_[arrival.rank] = true;
    return {};
  }

  /// `ranks 1, 3 of 4`.
  std::string missing() const {
    std::string text;
    size_t count = 0;
    constexpr size_t kMost = 8;
    for (size_t rank = 0; rank < come_.size(); ++rank) {
      if (come_[rank] || ++count > kMost) continue;
      text += (text.empty() ? "" : ", ") + std::to_string(rank);
    }
    if (count > kMost) text += " and " + std::to_string(count - kMost) + " more";
    return (count == 1 ? "rank " : "ranks ") + text + " of " + std::to_string(come_.size());
  }

 private:
  static Outcome<> failed(std::string message, Failure::Kind kind = Failure::Kind::failed) {
    return tl::unexpected(Failure{kind, std::move(message)});
  }

  const Introduction& own_;
  std::vector<bool> come_;
  std::map<std::string, size_t> on_{};  ///< ranks by their device
};

Outcome<> gather_all(Store& store, Gathering& gathering, const StoreAddress& address, double seconds) {
  const TimeLeft left(seconds);
  while (!gathering.is_whole()) {
    if (left.is_over()) {
      const std::string strangers = store.strangers();
      return tl::unexpected(
          Failure{Failure::Kind::timed_out, gathering.missing() + " did not come to the store at " + address.text() +
                                                " in " + std::to_string(std::lround(seconds)) + " s" +
                                                (strangers.empty() ? "" : " (but " + strangers + ")") +
                                                "; a longer --deadline gives them more time"});
    }
    const std::optional<Arrival> arrival = store.next({}, left.seconds());
    if (!arrival) continue;
    if (Outcome<> taken = gathering.take(*arrival); !taken) return taken;
  }
  return {};
}

}  // namespace

void stop_all(Store& store, size_t ranks) {
  for (size_t rank = 1; rank < ranks; ++rank) {
    // One that cannot be told sees the end of this process.
    static_cast<void>(store.send(rank, Frame{message::kStop, {}}));
  }
  const TimeLeft left(kSecondsToSend);
  do {
    store.next({}, kMoment);
  } while (store.has_unsent() && !left.is_over());
}

Outcome<> gather(Store& store, size_t ranks, const Introduction& own, const StoreAddress& address, double seconds) {
  Gathering gathering(own, ranks);
  Outcome<> gathered = gather_all(store, gathering, address, seconds);
  if (!gathered) stop_all(store, ranks);
  return gathered;
}

Outcome<> welcome(Store& store, size_t ranks, const std::string& place) {
  for (size_t rank = 1; rank < ranks; ++rank) {
    if (Outcome<> sent = store.send(rank, FrameWriter(message::kWelcome).put_text(place).frame()); !sent) return sent;
  }
  return {};
}

Outcome<std::string> introduce(Store& store, const Introduction& own, double seconds) {
  if (const Outcome<> sent = store.send(0, frame_of(own)); !sent) return tl::unexpected(sent.error());
  const TimeLeft left(seconds);
  for (;;) {
    if (left.is_over()) return tl::unexpected(Failure{Failure::Kind::timed_out, "rank 0 did not answer in time"});
    const std::optional<Arrival> arrival = store.next({}, left.seconds());
    if (!arrival) continue;
    if (!arrival->frame) return tl::unexpected(Failure{Failure::Kind::failed, "rank 0 " + arrival->why});
    if (arrival->frame->kind == message::kStop) return tl::unexpected(Failure{Failure::Kind::elsewhere, ""});
    const std::optional<std::string> place = FrameReader(*arrival->frame).take_text();
    if (arrival->frame->kind == message::kWelcome && place) return *place;
    return tl::unexpected(Failure{Failure::Kind::failed, "rank 0 has sent what is no answer"});
  }
}

}  // namespace isoshard::exec
