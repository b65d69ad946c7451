// Finds a value that is one of the reference but for some elements, as an off-by-one slice makes it. Each suspect is
// put together from the devices in all ways that match.cc knows, and compared element by element with reference values
// of its shape; at least half of the elements have to be equal, and the most similar pair wins. One wrong element is
// then followed back through ops that move elements to the op whose operands are right, and the element that was taken
// and the one that is expected are looked for in that operand: their places say what is off. Not in pipelines, where a
// stage's value is a part and likeness would be chance. Costs folds times reference values times elements, up to 2^26.
#include "verify/causes/near_miss.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "verify/answers/words.h"
#include "verify/facts/block_rows.h"
#include "verify/facts/is_one_of.h"

namespace isoshard::verify {
namespace {

constexpr int64_t kMostWork = int64_t{1} << 26;

/// One element of a value on one device.
struct Spot {
  PlanValueId value;
  int64_t position = 0;
  std::vector<int64_t> index;
};

/// How a folded value compares with a reference value of the same type.
struct FoldedComparison {
  const ReferenceValue* reference = nullptr;
  int64_t equal = 0;
  std::vector<int64_t> wrong;  ///< flat indices in the whole
  Match folded;                ///< the folds, for start()
};

/// Where a wrong and the right element stand in one reference value.
struct Provenance {
  std::string name;
  std::vector<int64_t> got, expected;

  bool off_by_one() const {
    int64_t distance = 0;
    for (size_t d = 0; d < got.size(); ++d) distance += std::abs(got[d] - expected[d]);
    return distance == 1;
  }
};

class NearMissSearch {
 public:
  NearMissSearch(const Examined& e, const std::vector<char>& suspect) : e_(e), suspect_(suspect) {}

  std::optional<Finding> run() {
    if (!e_.sharded.keeps_values() || !e_.reference.keeps_values()) return std::nullopt;
    if (e_.plan().groups.size() > 1) return std::nullopt;  // a stage's value is a part only: likeness would be chance
    for (size_t v = 0; v < suspect_.size(); ++v) {
      const PlanValueId id(v);
      if (suspect_[v] == 0 || work_ > kMostWork) continue;
      const std::optional<FoldedComparison> near = closest(id);
      if (near) return report(id, *near);
    }
    return std::nullopt;
  }

 private:
  Fingerprint element(const sim::Value& value, int64_t i) const {
    return e_.matcher.fingerprinter().of_element(value, i);
  }
  const Shape& local(PlanValueId id) const { return e_.plan().value(id).type.shape; }

  std::optional<FoldedComparison> closest(PlanValueId id) {
    std::optional<FoldedComparison> best;
    for (const Folded& folded : e_.matcher.folds(id)) {
      Match match{nullptr, folded.steps, {}, folded.micro};
      if (match.is_sum()) continue;
      for (const ReferenceValue& r : e_.matcher.references()) {
        if (r.type.shape != folded.shape || r.type.dtype != e_.plan().value(id).type.dtype) continue;
        FoldedComparison c = compare(id, match, r);
        const int64_t size = element_count(folded.shape);
        if (2 * c.equal >= size && c.equal < size && c.equal > 0 && (!best || c.equal > best->equal))
          best = std::move(c);
      }
    }
    return best;
  }

  FoldedComparison compare(PlanValueId id, const Match& folded, const ReferenceValue& r) {
    FoldedComparison c{&r, 0, {}, folded};
    const sim::Value& whole = reference_value(r);
    const Shape& shape = local(id);
    const int64_t n = element_count(shape);
    std::vector<char> seen(static_cast<size_t>(whole.size()), 0);
    for (int64_t p = 0; p < e_.mesh().device_count(); ++p) {
      const std::vector<int64_t> start = e_.matcher.start(folded, shape, p);
      const sim::Value& block = e_.sharded.value(id, p);
      for (int64_t i = 0; i < n; ++i) {
        std::vector<int64_t> index = unflatten(i, shape);
        for (size_t d = 0; d < index.size(); ++d) index[d] += start[d];
        const int64_t at = flatten(index, whole.type.shape);
        if (seen[static_cast<size_t>(at)]++ != 0) continue;
        if (element(block, i) == element(whole, at)) {
          ++c.equal;
        } else {
          c.wrong.push_back(at);
        }
      }
      work_ += n;
    }
    std::sort(c.wrong.begin(), c.wrong.end());
    return c;
  }

  const sim::Value& reference_value(const ReferenceValue& r) const {
    return r.global.valid() ? e_.globals[r.global.index()] : e_.reference.value(r.value, 0);
  }

  /// The device and local index that hold element `at` of the whole.
  std::optional<Spot> find(PlanValueId id, const Match& folded, int64_t at, const Shape& whole) const {
    const std::vector<int64_t> index = unflatten(at, whole);
    for (int64_t p = 0; p < e_.mesh().device_count(); ++p) {
      const std::vector<int64_t> start = e_.matcher.start(folded, local(id), p);
      Spot spot{id, p, index};
      bool inside = true;
      for (size_t d = 0; d < index.size(); ++d) {
        spot.index[d] -= start[d];
        inside = inside && spot.index[d] >= 0 && spot.index[d] < local(id)[d];
      }
      if (inside) return spot;
    }
    return std::nullopt;
  }

  /// Follows a wrong element back through movement to the op whose operands have counterparts.
  InstructionId trace_back(Spot spot) const {
    for (;;) {
      const InstructionId id = e_.definition[spot.value.index()];
      const Instruction& i = e_.plan().instruction(id);
      const std::optional<Spot> from = source(i, spot);
      if (!from || e_.known(from->value)) return id;
      spot = *from;
    }
  }

  /// Where an op that moves elements took the element from.
  std::optional<Spot> source(const Instruction& i, const Spot& spot) const {
    if (i.operands.empty()) return std::nullopt;
    Spot from{i.operands[0], spot.position, spot.index};
    if (const Permute* permute = std::get_if<Permute>(&i.data)) {
      const Group& group = e_.plan().communicators[permute->communicator.index()].group;
      const int64_t member = permute->source.evaluate(e_.mesh(), spot.position, {});
      if (member < 0) return std::nullopt;
      from.position = e_.mesh().member(group, spot.position, member);
      return from;
    }
    const LocalOp* op = std::get_if<LocalOp>(&i.data);
    if (op == nullptr) return any_suspect(i, spot);
    if (const Concatenate* c = std::get_if<Concatenate>(&op->op)) return source_of_part(i, *c, spot);
    if (const Slice* s = std::get_if<Slice>(&op->op)) {
      for (size_t d = 0; d < from.index.size(); ++d) {
        from.index[d] = s->start[d] + from.index[d] * (s->strides.empty() ? 1 : s->strides[d]);
      }
      return from;
    }
    if (const Transpose* t = std::get_if<Transpose>(&op->op)) {
      for (size_t d = 0; d < from.index.size(); ++d) from.index[static_cast<size_t>(t->permutation[d])] = spot.index[d];
      return from;
    }
    if (std::holds_alternative<Reshape>(op->op)) {
      from.index = unflatten(flatten(spot.index, local(spot.value)), local(from.value));
      return from;
    }
    return any_suspect(i, spot);
  }

  std::optional<Spot> source_of_part(const Instruction& i, const Concatenate& c, const Spot& spot) const {
    Spot from{{}, spot.position, spot.index};
    const size_t dim = static_cast<size_t>(c.dim);
    for (const PlanValueId part : i.operands) {
      from.value = part;
      if (from.index[dim] < local(part)[dim]) return from;
      from.index[dim] -= local(part)[dim];
    }
    return std::nullopt;
  }

  /// Elementwise ops keep the index; the operand without counterpart brought the wrong element.
  std::optional<Spot> any_suspect(const Instruction& i, const Spot& spot) const {
    for (const PlanValueId id : i.operands) {
      if (!e_.known(id) && local(id) == local(spot.value)) return Spot{id, spot.position, spot.index};
    }
    return std::nullopt;
  }

  std::optional<Finding> report(PlanValueId id, const FoldedComparison& c) const {
    const Shape& shape = c.reference->type.shape;
    const std::optional<Spot> spot = find(id, c.folded, c.wrong[0], shape);
    if (!spot) return std::nullopt;
    Finding miss;
    miss.culprit = trace_back(*spot);
    miss.facts.push_back(e_.name(id) + " is " + e_.name(*c.reference) + " except " + where(c, shape));
    const Instruction& culprit = e_.plan().instruction(miss.culprit);
    const std::string what = e_.name(culprit.results[0]) + " = " + culprit.op;
    if (moves_elements(culprit)) miss.cause = what + " takes other elements than " + e_.name(*c.reference);
    const Fingerprint got = element(e_.sharded.value(id, spot->position), flatten(spot->index, local(id)));
    const Fingerprint expected = element(reference_value(*c.reference), c.wrong[0]);
    const std::optional<Provenance> from = provenance(culprit, got, expected);
    if (!from) return miss;
    miss.traced = true;
    const std::string told = "element " + index_in_words(unflatten(c.wrong[0], shape)) + " is ";
    miss.facts.push_back(told + index_in_words(from->got) + " of " + from->name + ", expected " +
                         index_in_words(from->expected));
    if (from->off_by_one()) {
      miss.cause = "off by one: " + what + " takes " + index_in_words(from->got) + " of " + from->name +
                   " instead of " + index_in_words(from->expected);
    }
    return miss;
  }

  /// Ops of which one cannot say that they take wrong elements.
  static bool moves_elements(const Instruction& i) {
    return !is_one_of<BroadcastInDim, Reduce, Maximum, Minimum>(local_op(i));
  }

  /// `at index 0, 6, 12 of dim 0`: the dimension with the fewest wrong indices says most.
  static std::string where(const FoldedComparison& c, const Shape& shape) {
    size_t best = 0;
    std::set<int64_t> indices;
    for (size_t d = 0; d < shape.size(); ++d) {
      std::set<int64_t> here;
      for (const int64_t at : c.wrong) here.insert(unflatten(at, shape)[d]);
      if (d == 0 || here.size() < indices.size()) best = d, indices = std::move(here);
    }
    return "at index " + list_in_words({indices.begin(), indices.end()}, 6) + " of dim " + std::to_string(best) +
           " (size " + std::to_string(shape.empty() ? 1 : shape[best]) + ")";
  }

  /// Where the wrong and the right element stand in the value that the culprit takes elements from.
  std::optional<Provenance> provenance(const Instruction& culprit, const Fingerprint& got,
                                       const Fingerprint& expected) const {
    for (const PlanValueId id : culprit.operands) {
      const Match* match = e_.match(id);
      if (match == nullptr) continue;
      const sim::Value& whole = reference_value(*match->reference);
      const std::optional<int64_t> g = find_element(whole, got), x = find_element(whole, expected);
      if (!g || !x) continue;
      const Shape& shape = whole.type.shape;
      return Provenance{e_.name(*match->reference), unflatten(*g, shape), unflatten(*x, shape)};
    }
    return std::nullopt;
  }

  std::optional<int64_t> find_element(const sim::Value& value, const Fingerprint& wanted) const {
    for (int64_t i = 0; i < value.size(); ++i) {
      if (element(value, i) == wanted) return i;
    }
    return std::nullopt;
  }

  const Examined& e_;
  const std::vector<char>& suspect_;
  int64_t work_ = 0;
};

}  // namespace

std::optional<Finding> find_near_miss(const Examined& e, const std::vector<char>& suspect) {
  return NearMissSearch(e, suspect).run();
}

}  // namespace isoshard::verify
