// Spreads a value into terms: back through sums, sums over devices, and products with numbers, to the values that are
// none of these, with the factor by which each counts. Values are taken in descending order of their ids, since
// operands have smaller ones, so that each is expanded once with everything that it counts; that is linear where a tree
// of terms would be exponential. What several devices hold alike is one term. Then the factors with which the terms
// make up the wanted elements are found by Gaussian elimination in all lanes at once; one row more than unknowns has to
// agree. Costs at most 4096 expansions and 48 unknowns.
#include "verify/evidence/sum_terms.h"

#include <algorithm>
#include <map>
#include <utility>

namespace isoshard::verify {
namespace {

constexpr size_t kMostSumTerms = 48;
constexpr size_t kMostExpansions = 4096;
constexpr size_t kConfirming = 1;  ///< elements, each in every lane, that have to confirm what the others gave

const Fingerprinter& ring(const Examined& e) { return e.matcher.fingerprinter(); }

bool holds(const Examined& e, PlanValueId id, int64_t position) {
  const sim::Value& value = e.sharded.value(id, position);
  return e.sharded.groups().home(id, position) == position && value.data != nullptr &&
         value.type == e.plan().value(id).type;
}

/// The number that all elements of `id` are, where it is made of constants and places on the mesh.
std::optional<Fingerprint> number_of(const Examined& e, PlanValueId id, int64_t position) {
  if (e.constant[id.index()] == 0 && e.indices[id.index()] == 0) return std::nullopt;
  const sim::Value& value = e.sharded.value(id, position);
  if (!holds(e, id, position) || value.size() == 0) return std::nullopt;
  const Fingerprint first = ring(e).of_element(value, 0);
  for (int64_t i = 1; i < value.size(); ++i) {
    if (ring(e).of_element(value, i) != first) return std::nullopt;
  }
  return first;
}

/// An operand on a device, and the factor with which it enters.
struct Part {
  PlanValueId value;
  int64_t position = 0;
  Fingerprint factor{};
};

std::vector<Part> parts_of_product(const Examined& e, const Instruction& i, bool quotient, int64_t p) {
  const std::optional<Fingerprint> right = number_of(e, i.operands[1], p);
  if (right && quotient && ring(e).is_unit(*right)) return {{i.operands[0], p, ring(e).inverse(*right)}};
  if (quotient) return {};
  if (right) return {{i.operands[0], p, *right}};
  const std::optional<Fingerprint> left = number_of(e, i.operands[0], p);
  return left ? std::vector<Part>{{i.operands[1], p, *left}} : std::vector<Part>{};
}

std::vector<Part> parts_of_local(const Examined& e, const Instruction& i, const OpData& op, int64_t p) {
  const Fingerprint plus = ring(e).one(), minus = ring(e).subtract({}, plus);
  if (std::holds_alternative<Add>(op)) return {{i.operands[0], p, plus}, {i.operands[1], p, plus}};
  if (std::holds_alternative<Subtract>(op)) return {{i.operands[0], p, plus}, {i.operands[1], p, minus}};
  if (std::holds_alternative<Negate>(op)) return {{i.operands[0], p, minus}};
  const bool same = std::holds_alternative<StopGradient>(op) || std::holds_alternative<Reshape>(op);
  if (same) return {{i.operands[0], p, plus}};
  if (std::holds_alternative<Multiply>(op)) return parts_of_product(e, i, false, p);
  return std::holds_alternative<Divide>(op) ? parts_of_product(e, i, true, p) : std::vector<Part>{};
}

/// What is added up in the result of `i` on device `p`; nothing where it is no sum of its operands.
std::vector<Part> parts_of(const Examined& e, const Instruction& i, int64_t p) {
  if (const LocalOp* local = std::get_if<LocalOp>(&i.data)) return parts_of_local(e, i, local->op, p);
  const Collective* c = std::get_if<Collective>(&i.data);
  if (c == nullptr || c->kind != CollectiveKind::all_reduce) return {};
  const Group& group = e.plan().communicators[c->communicator.index()].group;
  std::vector<Part> parts;
  for (int64_t m = 0; m < e.mesh().size(group); ++m) {
    parts.push_back({i.operands[0], e.mesh().member(group, p, m), ring(e).one()});
    if (!holds(e, i.operands[0], parts.back().position)) return {};  // a rank of another group, with a plan of its own
  }
  return parts;
}

using Counts = std::map<std::pair<PlanValueId, int64_t>, Fingerprint>;

/// The values that are no sums, and how often they count on each device; more than kMostSumTerms when it gives up.
Counts leaves_of(const Examined& e, PlanValueId root, int64_t position) {
  // Operands have smaller ids: the largest one gets nothing more.
  Counts open{{{root, position}, ring(e).one()}}, leaves;
  for (size_t step = 0; !open.empty() && leaves.size() <= kMostSumTerms; ++step) {
    if (step == kMostExpansions) return {};
    const auto [at, counts] = *open.rbegin();
    open.erase(std::prev(open.end()));
    const InstructionId maker = e.definition[at.first.index()];
    const std::vector<Part> parts =
        maker.valid() ? parts_of(e, e.plan().instruction(maker), at.second) : std::vector<Part>{};
    if (parts.empty()) leaves[at] = ring(e).add(leaves[at], counts);
    for (const Part& part : parts) {
      if (part.value.index() >= at.first.index()) return {};
      Fingerprint& sum = open[{part.value, part.position}];
      sum = ring(e).add(sum, ring(e).multiply(counts, part.factor));
    }
  }
  return leaves;
}

std::vector<Fingerprint> elements(const Examined& e, const SumTerm& term) {
  std::vector<Fingerprint> result(static_cast<size_t>(element_count(e.plan().value(term.value).type.shape)));
  for (const int64_t p : term.positions) {
    const sim::Value& value = e.sharded.value(term.value, p);
    for (size_t i = 0; i < result.size(); ++i) {
      result[i] = ring(e).add(result[i], ring(e).of_element(value, static_cast<int64_t>(i)));
    }
  }
  return result;
}

bool is_zero(const std::vector<Fingerprint>& elements) {
  return std::all_of(elements.begin(), elements.end(), [](const Fingerprint& x) { return x == Fingerprint{}; });
}

/// The devices' terms of one value, those that are the same on several devices once.
std::vector<SumTerm> terms_of_value(const Examined& e, PlanValueId id, const Counts& counts) {
  std::vector<SumTerm> terms;
  for (int64_t p = 0; p < e.mesh().device_count(); ++p) {
    const auto found = counts.find({id, p});
    SumTerm term{id, {p}, found == counts.end() ? Fingerprint{} : found->second};
    if (!holds(e, id, p) || is_zero(elements(e, term))) continue;
    const auto same = std::find_if(terms.begin(), terms.end(), [&](const SumTerm& t) {
      return e.sharded.at(id)[static_cast<size_t>(t.positions[0])] == e.sharded.at(id)[static_cast<size_t>(p)];
    });
    if (same == terms.end()) {
      terms.push_back(term);
    } else {
      same->counts = ring(e).add(same->counts, term.counts);
    }
  }
  return terms;
}

/// Rows of a linear system, solved by elimination: the unknowns, then what they add up to.
class LinearSystem {
 public:
  LinearSystem(const Fingerprinter& ring, std::vector<std::vector<Fingerprint>> rows)
      : ring_(ring), rows_(std::move(rows)) {}

  /// The one solution; nothing where there is none, or more than one.
  std::optional<std::vector<Fingerprint>> solve() {
    const size_t unknowns = rows_[0].size() - 1;
    for (size_t c = 0; c < unknowns; ++c) {
      if (!eliminate(c)) return std::nullopt;
    }
    for (size_t r = unknowns; r < rows_.size(); ++r) {
      if (rows_[r][unknowns] != Fingerprint{}) return std::nullopt;
    }
    std::vector<Fingerprint> result;
    for (size_t c = 0; c < unknowns; ++c) result.push_back(rows_[c][unknowns]);
    return result;
  }

 private:
  /// Makes column `c` that of the identity.
  bool eliminate(size_t c) {
    size_t pivot = c;
    while (pivot < rows_.size() && !ring_.is_unit(rows_[pivot][c])) ++pivot;
    if (pivot == rows_.size()) return false;
    std::swap(rows_[pivot], rows_[c]);
    const Fingerprint inverse = ring_.inverse(rows_[c][c]);
    for (Fingerprint& x : rows_[c]) x = ring_.multiply(x, inverse);
    for (size_t r = 0; r < rows_.size(); ++r) {
      const Fingerprint factor = rows_[r][c];
      if (r == c || factor == Fingerprint{}) continue;
      for (size_t k = c; k < rows_[r].size(); ++k) {
        rows_[r][k] = ring_.subtract(rows_[r][k], ring_.multiply(factor, rows_[c][k]));
      }
    }
    return true;
  }

  const Fingerprinter& ring_;
  std::vector<std::vector<Fingerprint>> rows_;
};

}  // namespace

bool adds_up(const Examined& e, const Instruction& i, int64_t position) { return !parts_of(e, i, position).empty(); }

std::optional<std::vector<SumTerm>> sum_terms(const Examined& e, PlanValueId root, int64_t position) {
  const Counts leaves = leaves_of(e, root, position);
  std::vector<SumTerm> terms;
  PlanValueId last;
  for (const auto& [at, counts] : leaves) {
    if (at.first == last) continue;
    last = at.first;
    const std::vector<SumTerm> more = terms_of_value(e, at.first, leaves);
    terms.insert(terms.end(), more.begin(), more.end());
    if (terms.size() > kMostSumTerms) return std::nullopt;
  }
  return terms.empty() ? std::nullopt : std::optional(std::move(terms));
}

std::vector<SumTerm> joined_devices(const std::vector<SumTerm>& terms) {
  std::vector<SumTerm> result;
  for (const SumTerm& term : terms) {
    const auto alike = std::find_if(result.begin(), result.end(), [&](const SumTerm& other) {
      return other.value == term.value && other.counts == term.counts;
    });
    if (alike == result.end()) {
      result.push_back(term);
    } else {
      alike->positions.insert(alike->positions.end(), term.positions.begin(), term.positions.end());
    }
  }
  return result;
}

std::optional<std::vector<Fingerprint>> fitted_factors(const Examined& e, const std::vector<SumTerm>& terms,
                                                       const std::vector<Fingerprint>& wanted) {
  std::vector<std::vector<Fingerprint>> columns;
  for (const SumTerm& term : terms) columns.push_back(elements(e, term));
  columns.push_back(wanted);
  if (wanted.size() < terms.size() + kConfirming) return std::nullopt;
  for (const std::vector<Fingerprint>& column : columns) {
    if (column.size() != wanted.size()) return std::nullopt;
  }
  std::vector<std::vector<Fingerprint>> rows(std::min(wanted.size(), terms.size() + 8 * kConfirming));
  for (size_t r = 0; r < rows.size(); ++r) {
    for (const std::vector<Fingerprint>& column : columns) rows[r].push_back(column[r * wanted.size() / rows.size()]);
  }
  return LinearSystem(ring(e), std::move(rows)).solve();
}

}  // namespace isoshard::verify
