#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "verify/ring_stage.h"

namespace isoshard::verify {

/// Asks the ring about a pair with all its integers, keys, predicates and orders for all their values at once
/// (docs/spec/verdict.md, "Integers"), and keeps what it said of each output.
class Cover {
 public:
  /// `options` without integers; `records` gets an entry per rung that is asked.
  Cover(const Pair& pair, const RingOptions& options, std::vector<RungRecord>& records);

  /// On rung A with maxima of sets, then on rung E: what covered the last open output, nothing while some are open.
  std::optional<RingOutcome> ask();
  /// What takes longer: floats as tables where that is no more work than kMostTabledElements, then each output that is
  /// `equal` otherwise alone, with the numbers that stand for all as far as it goes.
  std::optional<RingOutcome> ask_more(const std::vector<bool>& equal);

  bool asked() const { return asked_; }
  /// Per output: it is equal for all values; empty where nothing was asked.
  const std::vector<bool>& covered() const { return covered_; }
  /// Per output that differs so: how it was asked.
  const std::map<size_t, std::shared_ptr<const RingOptions>>& told_apart() const { return told_apart_; }

  static constexpr uint64_t kMostTabledElements = uint64_t{1} << 20;

 private:
  using Integers = std::shared_ptr<const IntegerInputs>;

  Integers by_name(const std::vector<IntegerValues>& values) const;
  Integers integers_of(size_t output) const;
  std::optional<RingOutcome> ask(RingOptions asked, std::optional<size_t> only);
  std::optional<RingOutcome> ask_alone(size_t output);
  std::optional<RingOutcome> take(RingOutcome now, const std::vector<std::string>& doubts, const RingOptions& asked,
                                  std::optional<size_t> only);

  const Pair& pair_;
  RingOptions options_;
  std::vector<RungRecord>& records_;
  bool asked_ = false;
  std::vector<bool> covered_;
  std::map<size_t, std::shared_ptr<const RingOptions>> told_apart_;
};

}  // namespace isoshard::verify
