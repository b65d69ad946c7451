// Ranks behind a store look to their caller as ranks of its own: each has a port, whose other end is kept here by a
// thread, which takes words from there to the store and back. Boxes and notes go before the words to which they belong,
// from and to the desk, in parts, so that the caller reads of all ranks what it would read of processes that share its
// memory. A rank whose connection ends is one that closed its port. At the end of a run that failed the connections are
// left open to the end of this process: until then the others stay, so that their launcher does not end this process
// before it has told what happened. Cost: a copy of each box, and of what is on its way.
#include "exec/launch/launched_ranks.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include "exec/launch/gather.h"
#include "exec/launch/messages.h"
#include "exec/launch/parts.h"

namespace isoshard::exec {
namespace {

class LaunchedRanks final : public RankHost {
 public:
  LaunchedRanks(std::shared_ptr<const Job> job, std::unique_ptr<RankHost> own, std::unique_ptr<Store> store)
      : job_(std::move(job)), own_(std::move(own)), store_(std::move(store)), ends_(job_->lists.size()) {}
  /// False where the system has no more of what that takes.
  bool start() {
    ports_.emplace_back(dup(own_->ports()[0].descriptor()));
    far_.emplace_back();
    for (size_t rank = 1; rank < job_->lists.size(); ++rank) {
      auto [ours, theirs] = connected_ports();
      ports_.push_back(std::move(ours));
      far_.push_back(std::move(theirs));
    }
    std::tie(stop_here_, stop_there_) = connected_ports();
    const bool all = std::all_of(ports_.begin(), ports_.end(), [](const Port& port) { return port.is_open(); });
    try {
      if (all && stop_here_.is_open()) thread_ = std::thread([this] { relay(); });
    } catch (const std::system_error&) {
      return false;
    }
    return thread_.joinable();
  }
  void give_up() {
    stop_all(*store_, far_.size());
    store_->release();
  }
  ~LaunchedRanks() override { stop(); }
  LaunchedRanks(const LaunchedRanks&) = delete;
  LaunchedRanks& operator=(const LaunchedRanks&) = delete;

  std::string end_of(size_t rank) override {
    if (rank == 0) return own_->end_of(0);
    const std::lock_guard<std::mutex> lock(mutex_);
    return ends_[rank];
  }

  bool stop() override {
    if (!thread_.joinable()) return true;
    stopping_ = true;
    stop_here_.close();
    thread_.join();
    ports_.clear();
    return own_->stop();
  }

 private:
  void relay() {
    while (!stopping_) {
      std::vector<int> words{stop_there_.descriptor()};
      for (const Port& port : far_) {
        if (port.is_open()) words.push_back(port.descriptor());
      }
      if (const std::optional<Arrival> arrival = store_->next(words, 1)) take(*arrival);
      pass_words();
    }
    if (finished_ + 1 < far_.size()) give_up();
  }

  /// Words of the caller, as far as there are some.
  void pass_words() {
    std::vector<const Port*> ports;
    std::vector<size_t> ranks;
    for (size_t rank = 1; rank < far_.size(); ++rank) {
      if (!far_[rank].is_open()) continue;
      ports.push_back(&far_[rank]);
      ranks.push_back(rank);
    }
    for (const size_t i : wait_for(ports, 0)) {
      const size_t rank = ranks[i];
      const std::optional<Word> word = far_[rank].hear();
      if (!word) continue;
      Outcome<> sent;
      if (word == Word::meet) {
        sent = store_->send(rank, FrameWriter(message::kMeeting).put(job_->desk->meeting()).frame());
      } else if (word == Word::updated) {
        sent = send_inputs(rank);
      }
      if (sent) sent = store_->send(rank, FrameWriter(message::kWord).put(*word).frame());
      if (!sent) end(rank, "cannot be told anything: " + sent.error().message);
    }
  }

  Outcome<> send_inputs(size_t rank) {
    const std::vector<calls::HeldBox>& boxes = job_->lists[rank].inputs;
    for (size_t i = 0; i < boxes.size(); ++i) {
      if (!job_->updated[boxes[i].of]) continue;
      if (Outcome<> sent = send_parts(*store_, rank, message::kInput, i, job_->desk->input(rank, i)); !sent)
        return sent;
    }
    return {};
  }

  void take(const Arrival& arrival) {
    const size_t rank = arrival.rank;
    if (!far_[rank].is_open()) return;  // it has ended, or is not listened to any more
    if (!arrival.frame) return end(rank, arrival.why);
    if (!take_frame(rank, *arrival.frame)) end(rank, "has sent what is no message of a rank");
  }

  bool take_frame(size_t rank, const Frame& frame) {
    FrameReader in(frame);
    switch (frame.kind) {
      case message::kWord:
        return take_word(rank, in.take<Word>());
      case message::kOutput:
        return take_part(frame, job_->lists[rank].outputs.size(),
                         [&](size_t box) { return job_->desk->output(rank, box); });
      case message::kNote: {
        const std::optional<double> seconds = in.take<double>();
        const std::optional<int64_t> issued = in.take<int64_t>();
        if (issued) std::tie(job_->desk->seconds(rank), job_->desk->issued(rank)) = std::pair(*seconds, *issued);
        return issued.has_value();
      }
      case message::kAlgorithm: {
        const std::optional<UsedAlgorithm> algorithm = in.take<UsedAlgorithm>();
        if (algorithm) algorithms_[rank].push_back(*algorithm);
        return algorithm.has_value();
      }
      case message::kFailure: {
        const std::optional<Failure::Kind> kind = in.take<Failure::Kind>();
        const std::optional<std::string> text = in.take_text();
        if (text) job_->desk->leave(rank, Failure{*kind, *text});
        return text.has_value() && *kind <= Failure::Kind::not_as_listed;
      }
      case message::kEnd: {
        const std::optional<std::string> text = in.take_text();
        if (text) end(rank, *text);
        return text.has_value();
      }
      default:
        return false;
    }
  }

  bool take_word(size_t rank, std::optional<Word> word) {
    if (word == Word::opened) job_->desk->leave(rank, algorithms_[rank]);
    if (word == Word::finish) ++finished_;
    const bool known = word == Word::opened || word == Word::done || word == Word::finish || word == Word::failed;
    if (known) far_[rank].say(*word);
    return known;
  }

  void end(size_t rank, const std::string& how) {
    if (!far_[rank].is_open()) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ends_[rank] = how;
    }
    far_[rank].close();
  }

  std::shared_ptr<const Job> job_;
  std::unique_ptr<RankHost> own_;
  std::unique_ptr<Store> store_;
  std::vector<Port> far_{};  ///< by rank: the other ends of the caller's ports, none of rank 0
  Port stop_here_{}, stop_there_{};
  std::atomic<bool> stopping_{false};
  size_t finished_ = 0;
  std::vector<std::vector<UsedAlgorithm>> algorithms_ = std::vector<std::vector<UsedAlgorithm>>(job_->lists.size());
  std::mutex mutex_{};
  std::vector<std::string> ends_;  ///< by rank: how it ended
  std::thread thread_{};
};

}  // namespace

Outcome<std::unique_ptr<RankHost>> launched_ranks(const std::shared_ptr<const Job>& job, std::unique_ptr<RankHost> own,
                                                  std::unique_ptr<Store> store) {
  auto host = std::make_unique<LaunchedRanks>(job, std::move(own), std::move(store));
  if (host->start()) return host;
  host->give_up();
  return tl::unexpected(Failure{Failure::Kind::failed, "no socket, or no thread, for each of " +
                                                           std::to_string(job->lists.size()) +
                                                           " ranks; raise the limit of open files (ulimit -n)"});
}

}  // namespace isoshard::exec
