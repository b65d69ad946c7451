// Weights of the terms of a sum.
//
// A result that is a sum is taken apart into terms (element_terms), down to values that are no sums of values. A linear
// system says which factors of these values make the result the reference's: one row per element, one unknown per value
// and device. Where it has one solution, and more elements confirm it than it needs, the weight of a term is what it
// counts over that factor. Solving does without likeness of the terms to values of the reference, unlike comparing them
// one by one (wrong_element): gradients of micro-batches have no counterpart there.
//
// What each device holds is an unknown, also where the program leaves it out: a device that takes its own term for the
// sum shows as others that count 0 times. At most kMostSummands unknowns; cost: rows times unknowns squared.

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "verify/answers/words.h"
#include "verify/causes/explain.h"
#include "verify/evidence/element_terms.h"
#include "verify/evidence/stored_blocks.h"

namespace isoshard::verify {
namespace {

constexpr size_t kMostNamed = 4, kMostSummands = 48;

/// What a device holds of a value, as a term of a sum; or several devices together, that count alike.
struct Column {
  PlanValueId value;
  std::vector<int64_t> positions;
  Fingerprint counts{};  ///< the factor with which the program adds it up; 0: left out
};

/// What a sum adds up, in order; by value.
using Parts = std::map<PlanValueId, std::vector<PlanValueId>>;

/// A result as a sum of values.
struct ExpandedSum {
  std::vector<Column> columns;  ///< of all devices; of those that hold the same the first
  Parts parts;
};

using Columns = std::vector<Column>;

Columns::iterator find_column(const Evidence& e, Columns& columns, PlanValueId id, int64_t position) {
  const std::vector<Fingerprint>& at = e.sharded.at(id);
  return std::find_if(columns.begin(), columns.end(), [&](const Column& column) {
    return column.value == id && at[static_cast<size_t>(column.positions[0])] == at[static_cast<size_t>(position)];
  });
}

/// Of what every device holds, but for zeros.
void add_columns(const Evidence& e, PlanValueId id, Columns& columns) {
  for (int64_t p = 0; p < e.mesh().device_count(); ++p) {
    const bool is_term = e.sharded.holds(id, p) && e.sharded.at(id)[static_cast<size_t>(p)] != Fingerprint{};
    if (is_term && find_column(e, columns, id, p) == columns.end()) columns.push_back({id, {p}, {}});
  }
}

/// Nothing where it is no sum of several values, or has too many terms.
std::optional<ExpandedSum> expand(const Evidence& e, ElementSources& sources, const StoredValue& root) {
  ExpandedSum sum;
  const std::optional<std::vector<Term>> terms = terms_of(sources, {root.value, root.position, 0}, TermKind::values);
  if (!terms) return std::nullopt;
  for (const Term& term : *terms) {
    const Element& leaf = term.factors[0];
    add_columns(e, leaf.value, sum.columns);
    const auto column = find_column(e, sum.columns, leaf.value, leaf.position);
    if (column == sum.columns.end()) continue;  // zeros
    if (sum.columns.size() > kMostSummands) return std::nullopt;
    column->counts = sources.fingerprinter().add(column->counts, term.weight);
    for (size_t k = 0; k + 1 < term.path.size(); ++k) add_once(term.path[k + 1].value, sum.parts[term.path[k].value]);
  }
  return sum.columns.size() < 2 ? std::nullopt : std::optional(std::move(sum));
}

/// Fewer columns: the devices' terms of one value that count alike are one.
Columns joined_devices(const Columns& columns) {
  Columns result;
  for (const Column& column : columns) {
    const auto alike = std::find_if(result.begin(), result.end(), [&](const Column& other) {
      return other.value == column.value && other.counts == column.counts;
    });
    if (alike == result.end()) {
      result.push_back(column);
    } else {
      alike->positions.push_back(column.positions[0]);
    }
  }
  return result;
}

Fingerprint entry(const ElementSources& sources, const Column& column, int64_t element) {
  Fingerprint sum{};
  for (const int64_t p : column.positions) {
    sum = sources.fingerprinter().add(sum, sources.of({column.value, p, element}));
  }
  return sum;
}

using Rows = std::vector<std::vector<Fingerprint>>;

/// Per element, of a few, what stands in the columns and then what is wanted; none where the columns, each as often as
/// it counts, are not what the program has: a factor that is another number for each element is no weight.
Rows rows_of(const ElementSources& sources, const Columns& columns, const StoredValue& root,
             const std::vector<Fingerprint>& wanted) {
  const Fingerprinter& ring = sources.fingerprinter();
  Rows rows(std::min(wanted.size(), columns.size() + 8));
  for (size_t r = 0; r < rows.size(); ++r) {
    const size_t element = r * wanted.size() / rows.size();
    Fingerprint sum{};
    for (const Column& column : columns) {
      rows[r].push_back(entry(sources, column, static_cast<int64_t>(element)));
      sum = ring.add(sum, ring.multiply(column.counts, rows[r].back()));
    }
    if (sum != sources.of({root.value, root.position, static_cast<int64_t>(element)})) return {};
    rows[r].push_back(wanted[element]);
  }
  return rows;
}

/// Makes column `c` of `rows` that of the identity; false where it cannot be.
bool eliminate(const Fingerprinter& ring, Rows& rows, size_t c) {
  size_t pivot = c;
  while (pivot < rows.size() && !ring.is_unit(rows[pivot][c])) ++pivot;
  if (pivot == rows.size()) return false;
  std::swap(rows[pivot], rows[c]);
  const Fingerprint inverse = ring.inverse(rows[c][c]);
  for (Fingerprint& x : rows[c]) x = ring.multiply(x, inverse);
  for (size_t r = 0; r < rows.size(); ++r) {
    const Fingerprint factor = rows[r][c];
    if (r == c || factor == Fingerprint{}) continue;
    for (size_t k = c; k < rows[r].size(); ++k) {
      rows[r][k] = ring.subtract(rows[r][k], ring.multiply(factor, rows[c][k]));
    }
  }
  return true;
}

/// The one solution, which a row more than needed confirms; nothing where there is none, or more than one.
std::optional<std::vector<Fingerprint>> solve(const Fingerprinter& ring, Rows rows, size_t unknowns) {
  if (rows.size() <= unknowns) return std::nullopt;
  for (size_t c = 0; c < unknowns; ++c) {
    if (!eliminate(ring, rows, c)) return std::nullopt;
  }
  std::vector<Fingerprint> result;
  for (const std::vector<Fingerprint>& row : rows) result.push_back(row[unknowns]);
  const bool confirmed = std::all_of(result.begin() + static_cast<long>(unknowns), result.end(),
                                     [](const Fingerprint& rest) { return rest == Fingerprint{}; });
  return confirmed ? std::optional(std::move(result)) : std::nullopt;
}

/// How often the terms of some devices count, over how often they should.
struct Weight {
  std::vector<int64_t> positions;
  Ratio ratio;
};

using Weights = std::map<PlanValueId, std::vector<Weight>>;

/// The weights of all terms; nothing where one of them is no small rational, or should not be there at all.
std::optional<Weights> weights_of(const Fingerprinter& ring, const std::vector<Column>& columns,
                                  const std::vector<Fingerprint>& factors) {
  Weights weights;
  for (size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].counts == Fingerprint{} && factors[c] == Fingerprint{}) continue;
    if (!ring.is_unit(factors[c])) return std::nullopt;
    const std::optional<Ratio> ratio = ring.small_ratio(ring.multiply(columns[c].counts, ring.inverse(factors[c])));
    if (!ratio || !ring.small_ratio(factors[c])) return std::nullopt;
    weights[columns[c].value].push_back({columns[c].positions, *ratio});
  }
  return weights;
}

std::optional<Weights> solved_weights(const ElementSources& sources, const Columns& all, const StoredValue& root,
                                      const std::vector<Fingerprint>& wanted) {
  const Fingerprinter& ring = sources.fingerprinter();
  for (const Columns& columns : {all, joined_devices(all)}) {
    const std::optional<std::vector<Fingerprint>> factors =
        solve(ring, rows_of(sources, columns, root, wanted), columns.size());
    if (factors) return weights_of(ring, columns, *factors);
  }
  return std::nullopt;
}

/// Finds the words for the weights of one sum.
class Telling {
 public:
  Telling(const Evidence& e, const StoredValue& root, const Parts& parts, const Weights& weights)
      : e_(e), position_(root.position), sums_(parts), weights_(weights), sum_(branching(root.value)) {}

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
  bool is_leaf(PlanValueId id) const { return weights_.find(id) != weights_.end(); }

  /// The operands that bring terms.
  std::vector<PlanValueId> children(PlanValueId id) const {
    std::vector<PlanValueId> result;
    const auto parts = sums_.find(id);
    if (is_leaf(id) || parts == sums_.end()) return result;
    std::copy_if(parts->second.begin(), parts->second.end(), std::back_inserter(result),
                 [&](PlanValueId part) { return !ratios(part).empty(); });
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
    for (const Ratio& r : all) add_once(r, different);
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
      if (e_.pair.sharded.name(below[0]).find(".back.") == std::string::npos) best = deeper;
    }
    return best;
  }

  void list(PlanValueId id) {
    if (std::find(listed_.begin(), listed_.end(), id) != listed_.end()) return;
    listed_.push_back(id);
    if (ratios(id).size() == 1) {
      parts_.push_back(to_string(ratios(id)[0]) + "x (" + name(id) + ")");
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
      missing_ = "missing all_reduce of " + e_.name(id) + " over " + axes_in_words(axes, e_.mesh());
      if (id != sum_) missing_ += " before " + e_.plan().instruction(e_.definition[sum_.index()]).op();
    }
    for (const Weight& w : weights) {
      parts_.push_back(to_string(w.ratio) + "x (" + e_.name(id) + " on " + places_in_words(w.positions, e_.mesh()) +
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

  const Evidence& e_;
  const int64_t position_;
  const Parts& sums_;
  const Weights& weights_;
  mutable std::map<PlanValueId, std::vector<Ratio>> ratios_;
  const PlanValueId sum_;
  std::vector<PlanValueId> listed_;
  std::vector<std::string> parts_;
  std::string missing_;
};

bool is_right(const Evidence& e, const StoredValue& stored, const std::vector<Fingerprint>& wanted) {
  const sim::Value& value = e.sharded.value(stored.value, stored.position);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (e.matcher.fingerprinter().of_element(value, static_cast<int64_t>(i)) != wanted[i]) return false;
  }
  return true;
}

std::optional<Explanation> explain_stored(const Evidence& e, ElementSources& sources, const StoredValue& root) {
  const std::vector<Fingerprint> wanted = reference_elements(e, root);
  if (wanted.empty() || is_right(e, root, wanted)) return std::nullopt;
  const std::optional<ExpandedSum> sum = expand(e, sources, root);
  const std::optional<Weights> weights = sum ? solved_weights(sources, sum->columns, root, wanted) : std::nullopt;
  if (!weights) return std::nullopt;
  Telling telling(e, root, sum->parts, *weights);
  const std::optional<std::string> cause = telling.cause();
  if (!cause) return std::nullopt;
  const PlanValueId right = stored_value(e.pair.reference.plan, e.pair.reference_output[root.store->output]);
  const std::string exactly = ", " + e.name(root.value) + " is exactly " + e.pair.reference.in_words(right) + " of @";
  return Explanation{*cause,
                     telling.remedy() + exactly + e.pair.reference.plan.program,
                     {},
                     telling.sum(),
                     "a sum with wrong weights"};
}

}  // namespace

std::optional<Explanation> explain_by_weights(const Evidence& e) {
  ElementSources sources(e.plan(), e.sharded, e.matcher.fingerprinter(), e.domain);
  for (const StoredValue& stored : stored_values(e)) {
    if (!is_float(e.plan().value(stored.value).type().dtype)) continue;
    if (std::optional<Explanation> found = explain_stored(e, sources, stored)) return found;
  }
  return std::nullopt;
}

}  // namespace isoshard::verify
