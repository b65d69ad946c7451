#pragma once  // internal

#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "verify/compare/restrict_outputs.h"
#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// Asks the ring about a pair with all its integers, keys, predicates and orders for all their values at once
/// (docs/spec/verdict.md, "Integers"), and keeps what it said of each output.
class Cover {
 public:
  /// `options` without integers; `records` gets an entry per rung that is asked.
  /// Lookups of `whole` limit integers, also those that no output of `pair` needs.
  Cover(const Pair& pair, const Pair& whole, const RingOptions& options, std::vector<RungRecord>& records)
      : pair_(pair), whole_(whole), options_(options), records_(records) {}

  /// On rung A with maxima of sets, then on rung E: the outcome for all outputs once each is covered, nothing while
  /// some are open.
  std::optional<RingOutcome> ask();
  /// What takes longer: maxima of maxima; sinusoids and powers as exponentials; floats as tables where that is no more
  /// work than kMostTabledElements, with larger ones only where all are `equal` otherwise, then each such output alone,
  /// with the numbers that stand for all as far as it goes, and few numbers one by one. Nothing is asked for the sake
  /// of outputs that are `refuted` (empty: none is).
  std::optional<RingOutcome> ask_more(const std::vector<bool>& equal, const std::vector<bool>& refuted);

  bool asked() const { return options_.covered != nullptr; }
  /// Whether `output` is equal for all values.
  bool covers(size_t output) const { return output < covered_.size() && covered_[output]; }
  /// The numbers that stand for all values, by global; null before it was asked.
  std::shared_ptr<const IntegerInputs> integers() const { return options_.covered; }
  /// Says in `known` for which values its outputs are equal, and which of them differ for some.
  void put_outputs(RingOutcome& known) const;
  /// Says in `known`, which spoke, what its outputs rest on: those that are covered on what their cover does, in place
  /// of the draws that found them equal, and with `asserts` all on assert_equals that did not hold for all integers.
  void put_conditions(RingOutcome& known, bool asserts) const;
  /// The probability that some output is covered wrongly, as a logarithm; -inf where none is covered.
  double log2_error() const { return log2_error_; }

  static constexpr uint64_t kMostTabledElements = uint64_t{1} << 20;
  static constexpr uint64_t kMostElementsInCells = uint64_t{1} << 12;
  static constexpr uint64_t kMostElementsInLarge = uint64_t{1} << 18;  ///< with large tables: some 10 s

 private:
  using Integers = std::shared_ptr<const IntegerInputs>;

  Integers by_name(const std::vector<IntegerValues>& values) const;
  std::vector<RingOptions> further_ways(const Pair& pair) const;
  bool has_larger_integers(size_t entries) const;
  std::vector<bool> wanted() const;
  std::optional<RingOutcome> ask(RingOptions asked, const Restricted& part);
  std::optional<RingOutcome> ask_exponentials(RingOptions asked, const Restricted& part);
  std::optional<RingOutcome> ask_alone(size_t output);
  /// With few integers, each of their numbers by itself (cover_cases.cc).
  std::optional<RingOutcome> ask_cases(const std::vector<bool>& equal);
  struct Cases;
  void ask_case(size_t n, Cases& cases);
  void ask_case(const RingOptions& asked, std::vector<bool>& missing, Cases& cases);
  std::optional<RingOutcome> take_cases(const Cases& cases);
  std::optional<RingOutcome> all_covered(RingOutcome now) const;
  std::optional<RingOutcome> take(RingOutcome now, const RingOptions& asked, const Restricted& part);
  bool take_outputs(const RingOutcome& now, const RingOptions& asked, const Restricted& part);
  void add_terms(const RingOutcome& now);
  void put_terms(RingOutcome& outcome) const;

  const Pair& pair_;
  const Pair& whole_;
  RingOptions options_;
  std::vector<RungRecord>& records_;
  std::vector<std::optional<RingOutput>> covered_;  ///< as the ask said that covered them
  std::vector<bool> refuted_;
  std::map<size_t, std::shared_ptr<const RingOptions>> told_apart_;  ///< of outputs that differ so: how it was asked
  double log2_error_ = -HUGE_VAL;  ///< of all asks that covered some output, like what follows
  size_t lanes_ = 0;
  /// Both programs, to their end with all values of all integers: every assert_equal holds for them.
  bool ran_ = false;
  std::vector<Rung> deciding_;
  Assumptions assumes_;
};

}  // namespace isoshard::verify
