// The side of a rank that is not rank 0: between the store and the process in which its GPU is used. That is a process
// of its own also here, since a call of CUDA that hangs can be ended in no other way, and its end, by a signal too, can
// be told. Whatever fails is told to rank 0, who tells it to the user; then rank 0 says that all is over, or its
// connection ends. Cost: a copy of each box.
#include "exec/launch/serve_launched.h"

#include <utility>

#include "exec/launch/messages.h"
#include "exec/launch/parts.h"

namespace isoshard::exec {
namespace {

class Member {
 public:
  Member(const Job& job, size_t rank, RankHost& own, Store& store, const std::function<void()>& lay_inputs)
      : job_(job), rank_(rank), own_(own), store_(store), lay_inputs_(lay_inputs) {}

  Outcome<> go() {
    while (!done_) {
      const Port* port = &own_.ports()[0];
      const int words = port->descriptor();
      const bool listens = !ended_;
      const std::span<const int> also = listens ? std::span(&words, 1) : std::span<const int>();
      if (const std::optional<Arrival> arrival = store_.next(also, 1)) {
        if (Outcome<> taken = take(*arrival); !taken) return taken;
      }
      if (!listens || wait_for({&port, 1}, 0).empty()) continue;
      if (Outcome<> heard = pass_word(port->hear()); !heard) return heard;
    }
    while (store_.has_unsent()) store_.next({}, 0.01);
    return {};
  }

 private:
  /// What rank 0 says.
  Outcome<> take(const Arrival& arrival) {
    if (!arrival.frame) return lost("rank 0 " + arrival.why);
    const Frame& frame = *arrival.frame;
    FrameReader in(frame);
    if (frame.kind == message::kStop) return tl::unexpected(Failure{Failure::Kind::elsewhere, ""});
    if (frame.kind == message::kMeeting) {
      const std::optional<MeetingPoint> meeting = in.take<MeetingPoint>();
      if (meeting) job_.desk->meeting() = *meeting;
      return meeting ? Outcome<>() : lost(kNoMessage);
    }
    if (frame.kind == message::kInput) {
      const bool taken =
          take_part(frame, job_.lists[rank_].inputs.size(), [&](size_t box) { return job_.desk->input(rank_, box); });
      return taken ? Outcome<>() : lost(kNoMessage);
    }
    const std::optional<Word> word = in.take<Word>();
    if (frame.kind != message::kWord || !word) return lost(kNoMessage);
    if (*word == Word::all) lay_inputs_();
    own_.ports()[0].say(*word);
    return {};
  }

  /// What the own process says.
  Outcome<> pass_word(std::optional<Word> word) {
    Outcome<> sent;
    if (!word) {
      ended_ = true;
      if (own_end_.empty()) own_end_ = own_.end_of(0);
      return store_.send(0, FrameWriter(message::kEnd).put_text(own_end_).frame());
    }
    if (*word == Word::opened) sent = send_algorithms();
    if (*word == Word::done) sent = send_outputs();
    if (*word == Word::failed) {
      const Failure failure = job_.desk->failure(rank_);
      own_end_ = failure.message;
      sent = store_.send(0, FrameWriter(message::kFailure).put(failure.kind).put_text(failure.message).frame());
      ended_ = true;  // how its process ends says nothing more
    }
    if (!sent) return sent;
    done_ = *word == Word::finish;
    return store_.send(0, FrameWriter(message::kWord).put(*word).frame());
  }

  Outcome<> send_algorithms() {
    for (const UsedAlgorithm& algorithm : job_.desk->algorithms(rank_)) {
      if (Outcome<> sent = store_.send(0, FrameWriter(message::kAlgorithm).put(algorithm).frame()); !sent) return sent;
    }
    return {};
  }

  Outcome<> send_outputs() {
    for (size_t i = 0; i < job_.lists[rank_].outputs.size(); ++i) {
      Outcome<> sent = send_parts(store_, 0, message::kOutput, i, job_.desk->output(rank_, i));
      if (!sent) return sent;
    }
    return store_.send(
        0, FrameWriter(message::kNote).put(job_.desk->seconds(rank_)).put(job_.desk->issued(rank_)).frame());
  }

  Outcome<> lost(const std::string& how) const {
    return tl::unexpected(
        Failure{Failure::Kind::failed, how + (own_end_.empty() ? "" : " (before: " + own_end_ + ")")});
  }

  static constexpr const char* kNoMessage = "rank 0 has sent what is no message";
  const Job& job_;
  size_t rank_;
  RankHost& own_;
  Store& store_;
  const std::function<void()>& lay_inputs_;
  std::string own_end_{};  ///< what its process said, or how it ended
  bool ended_ = false, done_ = false;
};

}  // namespace

Outcome<> serve_launched(const Job& job, size_t rank, RankHost& own, Store& store,
                         const std::function<void()>& lay_inputs) {
  return Member(job, rank, own, store, lay_inputs).go();
}

}  // namespace isoshard::exec
