// Classes of values that are the same in both programs: for each float value of the reference a class of its
// fingerprint and type, and for each of the sharded program the class that it is in when its devices are put together.
// Only whole values, copies and blocks count, no sums: an opaque function of a sum is no sum of opaque functions. Used
// to place opaque identities (exponential_cuts.cc), where a wrong class would make equal programs differ, and no others
// equal; two lanes are enough for that. Costs one run and a search for folds per value (match.cc).
#include "verify/abstraction/counterparts.h"

#include <algorithm>
#include <map>

#include "core/support/result.h"
#include "verify/matching/match.h"

namespace isoshard::verify {
namespace {

constexpr size_t kCounterpartLanes = 2;

/// Classes of reference values that are equal, by fingerprint.
class Classes {
 public:
  int number(const Fingerprint& fingerprint, const TensorType& type) {
    return numbers_.emplace(Key{fingerprint, type.shape, type.dtype}, static_cast<int>(numbers_.size())).first->second;
  }
  int find(const Fingerprint& fingerprint, const TensorType& type) const {
    const auto known = numbers_.find(Key{fingerprint, type.shape, type.dtype});
    return known == numbers_.end() ? -1 : known->second;
  }

 private:
  struct Key {
    Fingerprint fingerprint;
    Shape shape;
    DType dtype;
    bool operator<(const Key& o) const {
      return std::tie(fingerprint, shape, dtype) < std::tie(o.fingerprint, o.shape, o.dtype);
    }
  };
  std::map<Key, int> numbers_;
};

bool adds_terms(const Folded& folded) {
  return std::any_of(folded.steps.begin(), folded.steps.end(),
                     [](const FoldStep& step) { return step.kind == FoldKind::sum; });
}

}  // namespace

Counterparts find_counterparts(const Pair& pair, const RingOptions& options, const Draw& draw) {
  const Plan &left = pair.sharded.plan, &right = pair.reference.plan;
  const std::unique_ptr<sim::Domain> domain = make_ring(options, kCounterpartLanes, draw);
  const Fingerprinter fingerprinter(*domain, kCounterpartLanes, options.seed, {&left, &right});
  Trace sharded(left, fingerprinter, 0), reference(right, fingerprinter, 0);
  PairRun run(pair, *domain, ring_draw(options, *domain, draw), options.workers);
  if (!run.next({&sharded, &reference})) return {};
  const Matcher matcher(pair, fingerprinter, sharded, reference, run.globals());
  Classes classes;
  Counterparts result{std::vector<int>(left.values.size(), -1), std::vector<int>(right.values.size(), -1)};
  for (const ReferenceValue& r : matcher.references()) {
    if (r.value.valid() && is_float(r.type.dtype)) {
      result.reference[r.value.index()] = classes.number(r.fingerprint, r.type);
    }
  }
  for (size_t v = 0; v < left.values.size(); ++v) {
    const TensorType& type = left.values[v].type();
    if (!sharded.computed(PlanValueId(v)) || !is_float(type.dtype)) continue;
    for (const Folded& folded : matcher.folds(PlanValueId(v))) {
      if (result.sharded[v] >= 0 || folded.micro || adds_terms(folded)) continue;
      result.sharded[v] = classes.find(folded.fingerprint, TensorType{type.dtype, folded.shape});
    }
  }
  return result;
}

}  // namespace isoshard::verify
