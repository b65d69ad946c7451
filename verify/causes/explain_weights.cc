// Explains an output whose elements are the right terms with wrong weights: a mean of means, a gradient that counts a
// micro-batch twice, a missing reduction. The output is spread into a few dozen terms (sum_terms.cc), and a linear
// system over the ring, one equation per element of the reference's output, says with which factors they would add up
// to it. More elements than unknowns confirm the solution, so that it is no fit. What the program's factors are of
// these is a rational per term, told in words from the first sum that branches. Costs elimination of at most 48
// unknowns per output and device.
#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "verify/answers/words.h"
#include "verify/causes/explain.h"
#include "verify/evidence/stored_blocks.h"
#include "verify/evidence/sum_terms.h"

namespace isoshard::verify {
namespace {

constexpr size_t kMostNamed = 4;

/// How often the terms of some devices count, over how often they should.
struct Weight {
  std::vector<int64_t> positions;
  Ratio ratio;
};

using Weights = std::map<PlanValueId, std::vector<Weight>>;

bool is_right(const Examined& e, PlanValueId id, int64_t p, const std::vector<Fingerprint>& wanted) {
  const sim::Value& value = e.sharded.value(id, p);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (e.matcher.fingerprinter().of_element(value, static_cast<int64_t>(i)) != wanted[i]) return false;
  }
  return true;
}

/// The weights of all terms; nothing where one of them is no small rational, or should not be there at all.
std::optional<Weights> weights_of(const Examined& e, const std::vector<SumTerm>& terms,
                                  const std::vector<Fingerprint>& factors) {
  const Fingerprinter& ring = e.matcher.fingerprinter();
  Weights weights;
  for (size_t t = 0; t < terms.size(); ++t) {
    const bool counts = terms[t].counts != Fingerprint{};
    if (!counts && factors[t] == Fingerprint{}) continue;
    if (!ring.is_unit(factors[t])) return std::nullopt;
    const std::optional<Ratio> ratio = ring.small_ratio(ring.multiply(terms[t].counts, ring.inverse(factors[t])));
    if (!ratio || !ring.small_ratio(factors[t])) return std::nullopt;
    weights[terms[t].value].push_back({terms[t].positions, *ratio});
  }
  return weights;
}

std::string weight_in_words(const Ratio& ratio) { return to_string(ratio) + "x"; }

/// Finds the words for the weights of one sum.
class Telling {
 public:
  Telling(const Examined& e, PlanValueId root, int64_t position, const Weights& weights)
      : e_(e), position_(position), weights_(weights), sum_(branching(root)) {}

  /// The first sum, back from the result, that has several terms.
  PlanValueId sum() const { return sum_; }

  /// Under which condition the result is right; after cause().
  std::string remedy() const {
    return missing_.empty() ? "with each of them counted 1x" : "with the terms of all devices, not of each its own";
  }

  std::optional<std::string> cause() {
    list(sum_);
    if (parts_.empty() || (parts_.size() == 1 && missing_.empty())) return std::nullopt;
    if (!missing_.empty()) return missing_;
    std::vector<std::string> shown(parts_.begin(),
                                   parts_.begin() + static_cast<long>(std::min(parts_.size(), kMostNamed)));
    const std::string more =
        parts_.size() > kMostNamed ? " and " + std::to_string(parts_.size() - kMostNamed) + " more" : "";
    return "the terms of " + e_.name(sum_) + " count " + (more.empty() ? enumerated(shown) : joined(shown) + more) +
           " of what they should";
  }

 private:
  static std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text;
  }

  bool is_leaf(PlanValueId id) const { return weights_.find(id) != weights_.end(); }

  /// The operands that bring terms.
  std::vector<PlanValueId> children(PlanValueId id) const {
    std::vector<PlanValueId> result;
    const InstructionId maker = e_.definition[id.index()];
    if (is_leaf(id) || !maker.valid() || !adds_up(e_, e_.plan().instruction(maker), position_)) return result;
    for (const PlanValueId operand : e_.plan().instruction(maker).operands) {
      if (!ratios(operand).empty() && std::find(result.begin(), result.end(), operand) == result.end())
        result.push_back(operand);
    }
    return result;
  }

  /// The different weights of all terms below `id`.
  const std::vector<Ratio>& ratios(PlanValueId id) const {
    const auto [at, is_new] = ratios_.try_emplace(id);
    if (!is_new) return at->second;
    std::vector<Ratio> all;
    if (const auto leaf = weights_.find(id); leaf != weights_.end()) {
      for (const Weight& w : leaf->second) all.push_back(w.ratio);
    } else {
      for (const PlanValueId child : children(id)) {
        const std::vector<Ratio>& below = ratios(child);
        all.insert(all.end(), below.begin(), below.end());
      }
    }
    std::vector<Ratio> different;
    for (const Ratio& r : all) {
      if (std::find(different.begin(), different.end(), r) == different.end()) different.push_back(r);
    }
    return ratios_[id] = std::move(different);
  }

  /// Right as a whole: nothing to tell.
  bool is_right(PlanValueId id) const { return ratios(id).size() == 1 && ratios(id)[0].is_one(); }

  PlanValueId branching(PlanValueId id) const {
    for (;;) {
      const std::vector<PlanValueId> below = children(id);
      std::vector<PlanValueId> open;
      std::copy_if(below.begin(), below.end(), std::back_inserter(open),
                   [&](PlanValueId child) { return !(e_.known(child) && is_right(child)); });
      if (open.size() != 1) return id;
      id = open[0];
    }
  }

  /// The name that tells most about terms that count alike: the first one that they have in the program.
  std::string name(PlanValueId id) const {
    std::string best = e_.name(id);
    for (std::vector<PlanValueId> below = children(id); below.size() == 1; below = children(below[0])) {
      const std::string deeper = e_.name(below[0]);
      if (deeper.find(".back.") == std::string::npos) best = deeper;
    }
    return best;
  }

  void list(PlanValueId id) {
    if (std::find(listed_.begin(), listed_.end(), id) != listed_.end()) return;
    listed_.push_back(id);
    if (ratios(id).size() == 1) {
      parts_.push_back(weight_in_words(ratios(id)[0]) + " (" + name(id) + ")");
    } else if (is_leaf(id)) {
      list_devices(id, weights_.at(id));
    } else {
      for (const PlanValueId child : children(id)) list(child);
    }
  }

  /// A value whose terms count differently on the devices: only this device's own, or each with a weight.
  void list_devices(PlanValueId id, const std::vector<Weight>& weights) {
    std::vector<int64_t> left_out;
    for (const Weight& w : weights) {
      if (w.ratio.numerator == 0) left_out.insert(left_out.end(), w.positions.begin(), w.positions.end());
    }
    const std::vector<AxisId> axes = axes_to(left_out);
    const bool others_count =
        std::count_if(weights.begin(), weights.end(), [](const Weight& w) { return w.ratio.numerator != 0; }) > 1;
    if (!others_count && !axes.empty()) {
      missing_ = "missing all_reduce of " + e_.name(id) + " over " + axes_in_words(axes, e_.mesh()) + " before " +
                 e_.plan().instruction(e_.definition[sum_.index()]).op;
    }
    for (const Weight& w : weights) {
      parts_.push_back(weight_in_words(w.ratio) + " (" + e_.name(id) + " on " +
                       (w.positions.size() == 1 ? device_name(e_.mesh(), w.positions[0])
                                                : devices_in_words(w.positions, e_.mesh())) +
                       ")");
    }
  }

  /// The axes along which this device differs from `positions`.
  std::vector<AxisId> axes_to(const std::vector<int64_t>& positions) const {
    std::vector<AxisId> result;
    for (size_t a = 0; a < e_.mesh().axis_count(); ++a) {
      const bool differs = std::any_of(positions.begin(), positions.end(), [&](int64_t p) {
        return e_.mesh().coordinate(p, AxisId(a)) != e_.mesh().coordinate(position_, AxisId(a));
      });
      if (differs) result.push_back(AxisId(a));
    }
    return result;
  }

  const Examined& e_;
  const int64_t position_;
  const Weights& weights_;
  mutable std::map<PlanValueId, std::vector<Ratio>> ratios_;
  const PlanValueId sum_;
  std::vector<PlanValueId> listed_;
  std::vector<std::string> parts_;
  std::string missing_;
};

std::optional<Explanation> explain_stored(const Examined& e, const StoreBlock& store, PlanValueId root, int64_t p) {
  const std::vector<Fingerprint> wanted = reference_elements(e, store, root, p);
  if (wanted.empty() || is_right(e, root, p, wanted)) return std::nullopt;
  std::optional<std::vector<SumTerm>> terms = sum_terms(e, root, p);
  if (!terms || terms->size() < 2) return std::nullopt;
  std::optional<std::vector<Fingerprint>> factors = fitted_factors(e, *terms, wanted);
  if (!factors) {
    terms = joined_devices(*terms);
    factors = fitted_factors(e, *terms, wanted);
  }
  const std::optional<Weights> weights = factors ? weights_of(e, *terms, *factors) : std::nullopt;
  if (!weights) return std::nullopt;
  Telling telling(e, root, p, *weights);
  const std::optional<std::string> cause = telling.cause();
  if (!cause) return std::nullopt;
  const PlanValueId right = stored_value(e.pair.reference.plan, e.pair.reference_output[store.output]);
  const std::string exactly = ", " + e.name(root) + " is exactly " + e.pair.reference.name(right) + " of @";
  return Explanation{*cause, telling.remedy() + exactly + e.pair.reference.program->name(), {}, telling.sum()};
}

}  // namespace

std::optional<Explanation> explain_by_weights(const Examined& e) {
  const bool values = e.sharded.keeps_values() && e.reference.keeps_values();
  if (!values || e.pair.reference.plan.mesh->device_count() != 1) return std::nullopt;
  for (const Instruction& i : e.plan().instructions) {
    const StoreBlock* store = std::get_if<StoreBlock>(&i.data);
    if (store == nullptr || !is_float(e.plan().value(i.operands[0]).type.dtype)) continue;
    for (int64_t p = 0; p < e.mesh().device_count(); ++p) {
      if (e.sharded.groups().home(i.operands[0], p) != p) continue;  // of another group of ranks
      if (std::optional<Explanation> found = explain_stored(e, *store, i.operands[0], p)) return found;
    }
  }
  return std::nullopt;
}

}  // namespace isoshard::verify
