// Whether a rank issued what its list says: what was proven and what ran are the same calls. It looks in the process of
// the rank, at every step, also at one that failed: ranks that issue the wrong thing wait for each other in vain, and
// the cause is to be told before its effect. Cost: a record of each call (exec/device/recorder.h), what is expected of
// a step made once, and a comparison of numbers.
#include "exec/run/issue_check.h"

#include <string>

namespace isoshard::exec {

/// With a graph the first step is issued call by call, and the second becomes the graph.
calls::Phase IssueCheck::phase() const {
  if (looks_ == 0) return calls::Phase::opening;
  if (!options_.graph || looks_ == 1) return calls::Phase::step;
  return looks_ == 2 ? calls::Phase::capture : calls::Phase::launch;
}

Outcome<> IssueCheck::look(Rank& device, const Outcome<>& done) {
  const std::optional<std::vector<calls::IssuedCall>> issued = device.take_issued();
  if (!issued) return done;
  if (expected_in_ != phase()) {
    expected_in_ = phase();
    expected_ = calls::expected_calls(list_, ranks_, *expected_in_);
  }
  const auto difference = calls::first_difference(list_, expected_, *issued, done.has_value());
  if (difference) return tl::unexpected(failure(*difference));
  ++looks_;
  issued_ += static_cast<int64_t>(issued->size());
  return done;
}

Failure IssueCheck::failure(const calls::IssueDifference& difference) const {
  std::string text;
  if (difference.call && options_.describe) text += options_.describe(*difference.call) + ": ";
  text += difference.text;
  text += " (call " + std::to_string(difference.position + 1) + " of " + std::to_string(expected_.size());
  text += looks_ == 0 ? " of its opening)" : " of step " + std::to_string(looks_) + ")";
  return {Failure::Kind::not_as_listed, std::move(text)};
}

}  // namespace isoshard::exec
