// Looks for a value of the reference that a sharded value is when all devices are folded into one
// (docs/spec/diagnosis.md, "Counterparts"): along each axis the devices hold the same, blocks along some dimension,
// perhaps shifted round a ring, or terms of a sum. Fingerprints are linear, so that each hypothesis is a sum of the
// devices' fingerprints with factors and needs no tensor; the result is looked up in a hash table of the reference's
// fingerprints. A depth-first search over the axes, last one first, since that is the most minor one where blocks lie
// in a tuple's order. States that were reached before by another order of folds are left out, and a budget ends what
// has too many dimensions. Ratios and surpluses are found by dividing fingerprints and reading the quotient as a small
// rational. Costs devices times folds per value.
#include "verify/matching/match.h"

#include <algorithm>
#include <unordered_set>

#include "core/support/mix.h"

namespace isoshard::verify {
namespace {

constexpr size_t kMostFolds = 20000, kMostUnshifted = 1000;

uint64_t hash(uint64_t before, const Fingerprint& f) {
  for (const uint64_t lane : f) before = mix(before ^ lane);
  return before;
}

}  // namespace

const FoldStep* Match::step(AxisId axis) const {
  for (const FoldStep& s : steps) {
    if (s.axis == axis) return &s;
  }
  return nullptr;
}

bool Match::is_sum() const {
  if (micro && (micro->mean || micro->kind == FoldKind::sum)) return true;
  return std::any_of(steps.begin(), steps.end(), [](const FoldStep& s) { return s.kind == FoldKind::sum; });
}

/// What a search has come to before, by another order of folds that do not depend on one another: hashes.
using Seen = std::unordered_set<uint64_t>;

/// What a search begins with.
struct Matcher::Start {
  std::vector<Fingerprint> at;  ///< per position; in a search only those with coordinate 0 on folded axes count
  Shape shape;
  std::optional<MicroBatchStep> micro;
};

/// The state of a search for folds: what is left of the devices, and the axes not yet folded.
struct Matcher::Search : Start {
  std::vector<AxisId> open;
  std::vector<FoldStep> steps;
  bool shifts = false;
  size_t budget = kMostFolds;
  const Visit* visit = nullptr;
  Seen* seen = nullptr;
};

Matcher::Matcher(const Pair& pair, const Fingerprinter& fingerprinter, const Trace& sharded, const Trace& reference,
                 const std::vector<sim::Value>& globals)
    : pair_(pair), fingerprinter_(fingerprinter), sharded_(sharded) {
  const Plan& plan = pair.reference.plan;
  for (size_t v = 0; v < plan.values.size(); ++v) {
    const PlanValueId id(v);
    const std::vector<Fingerprint>& at = reference.at(id);
    const bool equal = std::all_of(at.begin(), at.end(), [&](const Fingerprint& f) { return f == at[0]; });
    if (reference.computed(id) && equal) {
      references_.push_back(ReferenceValue{pair.reference.in_words(id), id, {}, plan.values[v].type(), at[0]});
    }
  }
  for (size_t g = 0; g < globals.size(); ++g) {
    if (!pair.used[g]) continue;
    const Global& global = pair.module->globals[g];
    references_.push_back(
        ReferenceValue{"@" + global.name, {}, GlobalId(g), global.type, fingerprinter.of(globals[g])});
  }
  for (size_t r = 0; r < references_.size(); ++r)
    by_fingerprint_.emplace(verify::hash(0, references_[r].fingerprint), r);
}

std::vector<Fingerprint> Matcher::fold(const std::vector<Fingerprint>& at, const Shape& shape,
                                       const FoldStep& step) const {
  const Group group{{step.axis}};
  const int64_t size = mesh().size(group);
  std::vector<Fingerprint> result(at.size());
  for (int64_t p = 0; p < static_cast<int64_t>(at.size()); ++p) {
    if (mesh().coordinate(p, step.axis) != 0) continue;
    Fingerprint sum{};
    for (int64_t i = 0; i < size; ++i) {
      Fingerprint term = at[static_cast<size_t>(mesh().member(group, p, i))];
      if (step.kind == FoldKind::concat) {
        term = fingerprinter_.moved(term, step.dim, (i + step.rotation) % size * shape[step.dim]);
      }
      sum = step.kind == FoldKind::equal && i > 0 ? sum : fingerprinter_.add(sum, term);
    }
    result[static_cast<size_t>(p)] = sum;
  }
  return result;
}

bool Matcher::try_fold(Search& s, const FoldStep& step) const {
  if (s.budget == 0) return false;
  --s.budget;
  Search next = s;
  next.at = fold(s.at, s.shape, step);
  if (step.kind == FoldKind::concat) next.shape[step.dim] *= mesh().axis(step.axis).size;
  next.open.erase(std::find(next.open.begin(), next.open.end(), step.axis));
  next.steps.push_back(step);
  if (!s.seen->insert(hash(next)).second) return false;
  const bool found = fold_next(next);
  s.budget = next.budget;
  return found;
}

uint64_t Matcher::hash(const Search& s) const {
  uint64_t result = 0;
  for (const int64_t size : s.shape) result = mix(result + static_cast<uint64_t>(size) + 1);
  for (const AxisId axis : s.open) result ^= uint64_t{1} << axis.index();
  for (const Fingerprint& f : s.at) result = verify::hash(result, f);
  return result;
}

bool Matcher::is_equal(const Search& s, AxisId axis) const {
  const Group group{{axis}};
  for (int64_t p = 0; p < static_cast<int64_t>(s.at.size()); ++p) {
    const bool counts = std::all_of(s.steps.begin(), s.steps.end(),
                                    [&](const FoldStep& step) { return mesh().coordinate(p, step.axis) == 0; });
    if (counts && s.at[static_cast<size_t>(p)] != s.at[static_cast<size_t>(mesh().leader(group, p))]) return false;
  }
  return true;
}

/// All folds of `axis`: equal devices are one or blocks that repeat, others are blocks, terms or shifted blocks.
bool Matcher::fold_axis(Search& s, AxisId axis) const {
  const int64_t size = mesh().axis(axis).size;
  const bool equal = is_equal(s, axis);
  if (equal && try_fold(s, FoldStep{axis, FoldKind::equal, 0, 0})) return true;
  for (size_t d = 0; d < s.shape.size(); ++d) {
    if (try_fold(s, FoldStep{axis, FoldKind::concat, d, 0})) return true;
  }
  if (equal) return false;
  if (try_fold(s, FoldStep{axis, FoldKind::sum, 0, 0})) return true;
  for (int64_t r = 1; s.shifts && r < size; ++r) {
    for (size_t d = 0; d < s.shape.size(); ++d) {
      if (try_fold(s, FoldStep{axis, FoldKind::concat, d, r})) return true;
    }
  }
  return false;
}

bool Matcher::fold_next(Search& s) const {
  if (s.open.empty()) return (*s.visit)(Folded{s.at[0], s.shape, s.steps, s.micro});
  for (size_t i = s.open.size(); i-- > 0;) {  // the last axis of a mesh is the most minor
    if (fold_axis(s, s.open[i])) return true;
  }
  return false;
}

bool Matcher::search(std::vector<Start> starts, bool shifts, const Visit& visit) const {
  Seen seen;
  for (Start& start : starts) {
    Search s{std::move(start), {}, {}};
    s.shifts = shifts;
    s.budget = shifts ? kMostFolds : kMostUnshifted;
    s.visit = &visit;
    s.seen = &seen;
    for (size_t a = 0; a < mesh().axis_count(); ++a) {
      if (mesh().axes()[a].size > 1) {
        s.open.push_back(AxisId(a));
      } else {
        s.steps.push_back(FoldStep{AxisId(a), FoldKind::equal, 0, 0});
      }
    }
    if (fold_next(s)) return true;
  }
  return false;
}

Matcher::Start Matcher::own(PlanValueId id) const {
  return Start{sharded_.at(id), pair_.sharded.plan.value(id).type().shape, {}};
}

/// As it is, with those of the other micro-batches, and with those of the other rank groups.
std::vector<Matcher::Start> Matcher::starts(PlanValueId id) const {
  std::vector<Start> result{own(id)};
  add_micro_batches(id, result);
  const std::vector<PlanValueId>& parts = sharded_.groups().all_groups(id);
  if (parts.empty()) return result;
  Start joined{{}, result[0].shape, {}};
  for (size_t p = 0; p < parts.size(); ++p) joined.at.push_back(sharded_.at(parts[p])[p]);
  result.push_back(std::move(joined));
  return result;
}

void Matcher::add_micro_batches(PlanValueId id, std::vector<Start>& starts) const {
  const std::vector<PlanValueId>& all = sharded_.groups().micro_batches(id);
  const bool equal =
      std::all_of(all.begin(), all.end(), [&](PlanValueId other) { return sharded_.at(other) == sharded_.at(id); });
  if (all.empty() || !is_float(pair_.sharded.plan.value(id).type().dtype)) return;
  MicroBatchStep step;
  step.index = std::find(all.begin(), all.end(), id) - all.begin();
  step.count = static_cast<int64_t>(all.size());
  const bool backward = sharded_.groups().is_backward(id);
  const size_t dims = pair_.sharded.plan.value(id).type().shape.size();
  for (const bool mean : {backward, !backward}) {
    step.mean = mean;
    step.kind = FoldKind::concat;
    // Forward only the loss is a mean: no block is a part of one.
    for (step.dim = 0; step.dim < (mean && !backward ? 0 : dims); ++step.dim) {
      starts.push_back(micro_batches(id, step));
    }
    if (equal) continue;  // blocks that repeat, not terms
    step.kind = FoldKind::sum;
    step.dim = 0;
    starts.push_back(micro_batches(id, step));
  }
}

Matcher::Start Matcher::micro_batches(PlanValueId id, const MicroBatchStep& step) const {
  const std::vector<PlanValueId>& all = sharded_.groups().micro_batches(id);
  Start result{std::vector<Fingerprint>(sharded_.at(id).size()), pair_.sharded.plan.value(id).type().shape, step};
  const int64_t extent = step.kind == FoldKind::concat ? result.shape[step.dim] : 0;
  Fingerprint count{};
  count.fill(static_cast<uint64_t>(step.count));
  for (size_t p = 0; p < result.at.size(); ++p) {
    for (size_t k = 0; k < all.size(); ++k) {
      const Fingerprint& term = sharded_.at(all[k])[p];
      result.at[p] =
          fingerprinter_.add(result.at[p], fingerprinter_.moved(term, step.dim, static_cast<int64_t>(k) * extent));
    }
    if (step.mean) result.at[p] = fingerprinter_.multiply(result.at[p], fingerprinter_.inverse(count));
  }
  if (step.kind == FoldKind::concat) result.shape[step.dim] *= step.count;
  return result;
}

/// Looks for reference values that are equal, of equal ones for the first; `result` lives as long as what it gives.
Matcher::Visit Matcher::visit_match(PlanValueId id, std::optional<Match>& result) const {
  const DType dtype = pair_.sharded.plan.value(id).type().dtype;
  return [this, dtype, &result](const Folded& folded) {
    const auto [first, last] = by_fingerprint_.equal_range(verify::hash(0, folded.fingerprint));
    const ReferenceValue* best = nullptr;
    for (auto it = first; it != last; ++it) {
      const ReferenceValue& r = references_[it->second];
      if (r.fingerprint != folded.fingerprint || r.type.shape != folded.shape || r.type.dtype != dtype) continue;
      if (best == nullptr || &r < best) best = &r;
    }
    if (best == nullptr) return false;
    result = Match{best, folded.steps, {}, folded.micro};
    return true;
  };
}

std::optional<Match> Matcher::match(PlanValueId id) const {
  std::optional<Match> result;
  const Visit visit = visit_match(id, result);
  if (!search(starts(id), false, visit)) search({own(id)}, true, visit);
  return result;
}

std::optional<Match> Matcher::match_alone(PlanValueId id) const {
  std::optional<Match> result;
  search({own(id)}, false, visit_match(id, result));
  return result;
}

std::vector<Folded> Matcher::folds(PlanValueId id) const {
  std::vector<Folded> result;
  search(starts(id), false, [&](const Folded& folded) {
    result.push_back(folded);
    return false;
  });
  return result;
}

std::vector<Matcher::Multiple> Matcher::multiples(PlanValueId id) const {
  std::vector<Multiple> result;
  const TensorType& type = pair_.sharded.plan.value(id).type();
  if (!is_float(type.dtype)) return result;
  for (const Folded& folded : folds(id)) {
    for (const ReferenceValue& r : references_) {
      if (r.type.shape != folded.shape || r.type.dtype != type.dtype || !fingerprinter_.is_unit(r.fingerprint))
        continue;
      const Fingerprint quotient = fingerprinter_.multiply(folded.fingerprint, fingerprinter_.inverse(r.fingerprint));
      const std::optional<Ratio> ratio = fingerprinter_.small_ratio(quotient);
      if (ratio && ratio->numerator != 0) result.push_back(Multiple{&r, folded, *ratio});
    }
  }
  return result;
}

std::vector<Matcher::Surplus> Matcher::surpluses(PlanValueId id) const {
  std::vector<Surplus> result;
  const TensorType& type = pair_.sharded.plan.value(id).type();
  if (!is_float(type.dtype)) return result;
  for (const Folded& folded : folds(id)) {
    std::vector<const ReferenceValue*> like;
    std::vector<Fingerprint> inverses;
    for (const ReferenceValue& r : references_) {
      if (r.type.shape != folded.shape || r.type.dtype != type.dtype || !fingerprinter_.is_unit(r.fingerprint))
        continue;
      like.push_back(&r);
      inverses.push_back(fingerprinter_.inverse(r.fingerprint));
    }
    for (const ReferenceValue* base : like) {
      const Fingerprint rest = fingerprinter_.subtract(folded.fingerprint, base->fingerprint);
      for (size_t e = 0; e < like.size(); ++e) {
        const std::optional<Ratio> count = fingerprinter_.small_ratio(fingerprinter_.multiply(rest, inverses[e]));
        if (!count || count->denominator != 1 || count->numerator == 0) continue;
        result.push_back(Surplus{base, like[e], folded, count->numerator});
      }
    }
  }
  return result;
}

std::optional<Match> Matcher::match_load(const LoadBlock& load, PlanValueId id) const {
  const Shape& local = pair_.sharded.plan.value(id).type().shape;
  for (const ReferenceValue& r : references_) {
    if (r.global != load.global || load.block.size() != local.size()) continue;
    Match match{&r, {}, {}, {}};
    for (int64_t p = 0; p < mesh().device_count(); ++p) {
      match.starts.emplace_back();
      for (size_t d = 0; d < local.size(); ++d) {
        const int64_t size = (r.type.shape[d] + load.count[d] - 1) / load.count[d];
        const int64_t start = load.start.empty() ? 0 : load.start[d];
        match.starts.back().push_back(load.block[d].evaluate(mesh(), sharded_.groups().home(id, p), {}) * size + start);
      }
    }
    return match;
  }
  return std::nullopt;
}

std::vector<int64_t> Matcher::start(const Match& match, const Shape& local, int64_t position) const {
  if (!match.starts.empty()) return match.starts[static_cast<size_t>(position)];
  std::vector<int64_t> result(local.size(), 0);
  Shape extent = local;
  if (match.micro && match.micro->kind == FoldKind::concat) {
    result[match.micro->dim] = match.micro->index * extent[match.micro->dim];
    extent[match.micro->dim] *= match.micro->count;
  }
  for (const FoldStep& step : match.steps) {
    if (step.kind != FoldKind::concat) continue;
    const int64_t size = mesh().axis(step.axis).size;
    result[step.dim] += (mesh().coordinate(position, step.axis) + step.rotation) % size * extent[step.dim];
    extent[step.dim] *= size;
  }
  return result;
}

}  // namespace isoshard::verify
