#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/plan/calls/expected_calls.h"
#include "exec/backend.h"

namespace isoshard::exec {

/// Compares what one rank issues, from its opening on and step by step, with its list.
class IssueCheck {
 public:
  /// Of a rank among `ranks`; the list must outlive it.
  IssueCheck(const calls::CallList& list, int64_t ranks, RankOptions options)
      : list_(list), ranks_(ranks), options_(std::move(options)) {}

  /// Looks at what the rank issued when it was opened, and then in each step; `done` is how that ended. What differs is
  /// the failure, whatever else has failed because of it.
  Outcome<> look(Rank& device, const Outcome<>& done);
  /// Calls that were as listed.
  int64_t issued() const { return issued_; }

 private:
  calls::Phase phase() const;
  Failure failure(const calls::IssueDifference& difference) const;

  const calls::CallList& list_;
  int64_t ranks_;
  RankOptions options_;
  int64_t looks_ = 0;
  int64_t issued_ = 0;
  std::optional<calls::Phase> expected_in_{};
  std::vector<calls::ExpectedCall> expected_{};
};

}  // namespace isoshard::exec
