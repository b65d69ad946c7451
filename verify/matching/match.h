#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "verify/compare/pair.h"
#include "verify/compare/ratio.h"
#include "verify/matching/fingerprint.h"

namespace isoshard::verify {

enum class FoldKind : uint8_t {
  equal,   ///< the same on all devices of the axis
  concat,  ///< blocks along `dim`, device i holding block (i + rotation) mod size
  sum,     ///< terms of a sum
};

/// What the devices along one axis hold; folding it away leaves one value for them all.
struct FoldStep {
  AxisId axis;
  FoldKind kind = FoldKind::equal;
  size_t dim = 0;
  int64_t rotation = 0;
};

/// What a stage of a pipeline has for all micro-batches; folding them away leaves one value for the whole batch.
struct MicroBatchStep {
  FoldKind kind = FoldKind::concat;  ///< blocks along `dim` in order, or terms of a sum
  size_t dim = 0;
  int64_t index = 0;  ///< the micro-batch of the value itself
  int64_t count = 1;
  bool mean = false;  ///< of blocks or terms, the count-th part: the loss is a mean over micro-batches
};

/// A value of the reference, or a whole global that both programs read.
struct ReferenceValue {
  std::string name;  ///< `%p` or `@W`
  PlanValueId value;
  GlobalId global;
  TensorType type;
  Fingerprint fingerprint{};
};

/// A sharded value is `reference` under these folds, innermost (minor) first; or, for a block of a global in a
/// placement that no folds describe (a diagonal), each device's block starts where `starts` says.
struct Match {
  const ReferenceValue* reference = nullptr;
  std::vector<FoldStep> steps;
  std::vector<std::vector<int64_t>> starts{};  ///< per position and dimension, or empty
  std::optional<MicroBatchStep> micro{};       ///< before all other folds

  const FoldStep* step(AxisId axis) const;
  /// Whether it holds no elements of the reference, but terms or parts of them.
  bool is_sum() const;
};

/// One way to fold the devices of a sharded value into one tensor.
struct Folded {
  Fingerprint fingerprint{};
  Shape shape;
  std::vector<FoldStep> steps;
  std::optional<MicroBatchStep> micro{};
};

/// Finds for values of the sharded program their counterparts in the reference (docs/spec/diagnosis.md,
/// "Counterparts").
class Matcher {
 public:
  Matcher(const Pair& pair, const Fingerprinter& fingerprinter, const Trace& sharded, const Trace& reference,
          const std::vector<sim::Value>& globals);

  const Mesh& mesh() const { return *pair_.sharded.plan.mesh; }
  const Fingerprinter& fingerprinter() const { return fingerprinter_; }
  const std::vector<ReferenceValue>& references() const { return references_; }

  /// A reference value that is any replica, a concatenation or the sum of `id`; blocks shifted round the axis count.
  std::optional<Match> match(PlanValueId id) const;
  /// The same of one micro-batch only, and without shifts.
  std::optional<Match> match_alone(PlanValueId id) const;

  /// The block of a global that a LoadBlock reads into `id`.
  std::optional<Match> match_load(const LoadBlock& load, PlanValueId id) const;

  /// Reference values whose small multiple `id` is, folded in some way (not shifted), and the factor.
  struct Multiple {
    const ReferenceValue* reference = nullptr;
    Folded folded;
    Ratio ratio;
  };
  std::vector<Multiple> multiples(PlanValueId id) const;

  /// Reference values with base + count * extra = `id` folded in some way, count a small integer other than 0.
  struct Surplus {
    const ReferenceValue* base = nullptr;
    const ReferenceValue* extra = nullptr;
    Folded folded;
    int64_t count = 0;
  };
  std::vector<Surplus> surpluses(PlanValueId id) const;

  /// Where the block of the device at `position` starts in the reference value, per dimension.
  std::vector<int64_t> start(const Match& match, const Shape& local, int64_t position) const;

  /// All ways to fold `id` without shifts, at most a few hundred.
  std::vector<Folded> folds(PlanValueId id) const;

 private:
  using Visit = std::function<bool(const Folded&)>;  ///< true ends the search
  struct Search;
  struct Start;
  Start own(PlanValueId id) const;
  std::vector<Start> starts(PlanValueId id) const;
  void add_micro_batches(PlanValueId id, std::vector<Start>& starts) const;
  Start micro_batches(PlanValueId id, const MicroBatchStep& step) const;
  bool search(std::vector<Start> starts, bool shifts, const Visit& visit) const;
  Visit visit_match(PlanValueId id, std::optional<Match>& result) const;
  bool fold_next(Search& search) const;
  bool fold_axis(Search& search, AxisId axis) const;
  bool try_fold(Search& search, const FoldStep& step) const;
  bool is_equal(const Search& search, AxisId axis) const;
  uint64_t hash(const Search& search) const;
  std::vector<Fingerprint> fold(const std::vector<Fingerprint>& at, const Shape& shape, const FoldStep& step) const;

  const Pair& pair_;
  const Fingerprinter& fingerprinter_;
  const Trace& sharded_;
  std::vector<ReferenceValue> references_;
  std::unordered_multimap<uint64_t, size_t> by_fingerprint_;  ///< a hash of it -> the index of the value
};

}  // namespace isoshard::verify
