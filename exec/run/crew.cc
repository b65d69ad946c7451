// The side of the caller: words to all ranks and back, with a deadline of its own a little behind that of the ranks, so
// that a rank which times out can still say in which call. When one rank fails others fail because of it, by an error
// of NCCL or by waiting, and whose word comes first is chance. So after the first one a moment is waited for more, and
// the likely cause is told: one that died or issued what was not in its list before one that failed, that before one
// that waited in vain; of equal ones that which failed first. A rank gives up by itself after its deadline, so one that
// then still says nothing is inside of a call that does not return, and is told as well. Then all are ended. Cost: a
// poll for each word.
#include "exec/run/crew.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <tuple>

namespace isoshard::exec {
namespace {

constexpr double kSecondsForMoreLosses = 0.3;
constexpr const char* kAsInACall = ", as where a call does not return";
constexpr double kSecondsForCauses = 1;  // after ranks that waited in vain: not all began to wait at once

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string list(const std::vector<size_t>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  constexpr size_t kMost = 8;
  for (size_t i = 0; i < std::min(ranks.size(), kMost); ++i) text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  return ranks.size() <= kMost ? text : text + " and " + std::to_string(ranks.size() - kMost) + " more";
}

/// What more likely is a cause comes first.
int order_of(Failure::Kind kind) {
  switch (kind) {
    case Failure::Kind::not_as_listed:
      return 0;
    case Failure::Kind::timed_out:
      return 2;
    case Failure::Kind::elsewhere:
      return 3;
    default:
      return 1;
  }
}

std::string seconds_text(double seconds) {
  std::string text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

}  // namespace

/// A rank that will not go on.
struct Crew::Loss {
  size_t rank;
  int order;  ///< what more likely is a cause comes first
  Failure failure;
  std::chrono::steady_clock::time_point when{};
  bool has_words = true;  ///< its own

  bool is_cause() const { return order < kConsequences; }
  bool operator<(const Loss& other) const {
    return std::tie(order, when, rank) < std::tie(other.order, other.when, other.rank);
  }
  static constexpr int kConsequences = 2;
};

/// Which of the other losses, that are sorted, says more; 0: none.
size_t Crew::cited_of(const std::vector<Loss>& losses) {
  const Loss& first = losses.front();
  if (!first.has_words) return losses.size() > 1 ? 1 : 0;
  if (first.failure.kind != Failure::Kind::timed_out) return 0;
  const auto instruction = [](const Loss& loss) {  // `rank 2: file:34:8: all_reduce r: ...`
    const std::string& text = loss.failure.message;
    const size_t begin = text.find(": ") + 2;
    return text.substr(begin, text.find(": ", text.find(' ', begin)) - begin);
  };
  for (size_t i = 1; i < losses.size(); ++i) {
    const bool waits = losses[i].failure.kind == Failure::Kind::timed_out;
    if (waits && instruction(losses[i]) != instruction(first)) return i;
  }
  return 0;
}

Crew::Crew(std::shared_ptr<const Job> job, std::unique_ptr<RankHost> host, double grace)
    : job_(std::move(job)), host_(std::move(host)), seconds_(job_->options.deadline + grace) {}

void Crew::tell_all(Word word) const {
  for (const Port& port : host_->ports()) port.say(word);
}

Crew::Loss Crew::loss_of(size_t rank, bool has_word) {
  const std::string who = "rank " + std::to_string(rank);
  if (!has_word) return {rank, 0, {Failure::Kind::failed, who + " " + host_->end_of(rank)}, {}, false};
  Failure failure = job_->desk->failure(rank);
  failure.message = who + ": " + failure.message;
  const int order = order_of(failure.kind);
  return {rank, order, std::move(failure), job_->desk->left_at(rank)};
}

void Crew::hear_some(Word expected, double seconds, std::vector<size_t>& waiting, std::vector<Loss>& losses) {
  std::vector<const Port*> ports;
  for (const size_t rank : waiting) ports.push_back(&host_->ports()[rank]);
  std::vector<size_t> left = waiting;
  for (const size_t i : wait_for(ports, seconds)) {
    const std::optional<Word> word = ports[i]->hear();
    std::erase(left, waiting[i]);
    if (word != expected) losses.push_back(loss_of(waiting[i], word.has_value()));
  }
  waiting = std::move(left);
}

tl::unexpected<Failure> Crew::give_up(Failure failure) {
  if (!host_->stop()) stragglers_ = true;
  return tl::unexpected(std::move(failure));
}

/// What is told of losses: their cause, who else failed, and who did not even say that it waited in vain. Where the
/// cause could say nothing, as a process that was killed, the first of the others says what went on; where it waited in
/// vain, the first of those does that waited for something else.
Failure Crew::told(std::vector<Loss> losses, const std::vector<size_t>& silent) {
  std::sort(losses.begin(), losses.end());
  Failure failure = losses.front().failure;
  const size_t cited = cited_of(losses);
  std::string more = cited != 0 ? losses[cited].failure.message : "";
  std::vector<size_t> others;
  for (size_t i = 1; i < losses.size(); ++i) {
    if (i != cited) others.push_back(losses[i].rank);
  }
  std::sort(others.begin(), others.end());
  if (!others.empty()) more += (more.empty() ? "" : "; ") + list(others) + " failed, too";
  if (!losses.front().is_cause() && !silent.empty()) {
    if (!more.empty()) more += "; ";
    more += list(silent) + (silent.size() == 1 ? " says nothing" : " say nothing") + kAsInACall;
  }
  if (!more.empty()) failure.message += " (" + more + ")";
  return failure;
}

Outcome<> Crew::hear_all(Word expected, const std::string& what, std::vector<size_t> ranks) {
  std::vector<Loss> losses;
  const double last = now() + seconds_;
  double end = last, first_loss = 0;
  while (!ranks.empty() && now() < end) {
    const bool first = losses.empty();
    hear_some(expected, end - now(), ranks, losses);
    if (losses.empty()) continue;
    if (first) first_loss = now();
    const bool known = std::any_of(losses.begin(), losses.end(), [](const Loss& loss) { return loss.is_cause(); });
    end = std::min(last, first_loss + (known ? kSecondsForMoreLosses : kSecondsForCauses));
  }
  if (!losses.empty()) return give_up(told(std::move(losses), ranks));
  if (ranks.empty()) return {};
  return give_up({Failure::Kind::timed_out, list(ranks) + " of " + std::to_string(host_->ports().size()) + " did not " +
                                                what + " in " + seconds_text(seconds_) + kAsInACall +
                                                "; a longer --deadline gives them more time"});
}

Outcome<> Crew::hear_all(Word expected, const std::string& what) {
  std::vector<size_t> ranks(host_->ports().size());
  std::iota(ranks.begin(), ranks.end(), size_t{0});
  return hear_all(expected, what, std::move(ranks));
}

Outcome<> Crew::open() {
  if (Outcome<> met = hear_all(Word::meet, "make a meeting point", {0}); !met) return met;
  tell_all(Word::meet);
  return hear_all(Word::opened, "meet the others");
}

Outcome<double> Crew::step(bool all_inputs) {
  tell_all(all_inputs ? Word::all : Word::updated);
  if (const Outcome<> done = hear_all(Word::done, "finish a step"); !done) return tl::unexpected(done.error());
  double slowest = 0;
  for (size_t rank = 0; rank < job_->lists.size(); ++rank) slowest = std::max(slowest, job_->desk->seconds(rank));
  return slowest;
}

Outcome<> Crew::finish() {
  tell_all(Word::finish);
  if (Outcome<> finished = hear_all(Word::finish, "end its communicators"); !finished) return finished;
  if (!host_->stop()) stragglers_ = true;
  return {};
}

}  // namespace isoshard::exec
