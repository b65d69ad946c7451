// Notes at which elements a program uses partial functions, such as divisions, roots and logarithms, and what each use
// needs: not 0, not negative, positive (docs/adr/0036-where-programs-are-defined.md). A use of the sharded program is
// harmless where the reference makes the same one, so elements of both runs are compared as residues of two lanes, in
// sorted lists. Positive says the two others as well, and numbers are known. Cost: sorting the elements of each use.
#include "verify/watches/use_watch.h"

#include <algorithm>

namespace isoshard::verify {
namespace {

template <class T>
void sort_unique(std::vector<T>& all) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

}  // namespace

void UseWatch::observe(const sim::Domain& domain) {
  ring_ = dynamic_cast<const sim::ExactRing*>(&domain);
  for (std::vector<Seen>& elements : elements_) elements.clear();
}

/// Numbers other than 0 are as needed of a denominator.
void UseWatch::on_value(int64_t, PlanValueId id, const sim::Value& value) {
  if (ring_ == nullptr) return;
  for (const UseMarks::Mark& mark : marks_.at(id)) {
    std::vector<Seen> elements;
    for (int64_t i = 0; i < value.size(); ++i) {
      const std::array<uint64_t, 2> residues{ring_->residue(value, 0, i), ring_->residue(value, ring_->lanes() - 1, i)};
      const bool zero = residues[0] == 0 && residues[1] == 0;
      const bool number = mark.needs == Needs::nonzero && !zero;
      if (number && ring_->is_number(value.size(), value.data.get(), i)) continue;
      elements.push_back({residues, mark.needs});
    }
    sort_unique(elements);
    const std::lock_guard lock(mutex_);
    std::vector<Seen>& all = elements_[mark.use];
    all.insert(all.end(), elements.begin(), elements.end());
  }
}

/// What is positive is neither 0 nor negative.
std::vector<UseWatch::Seen> UseWatch::known() const {
  std::vector<Seen> result;
  for (const std::vector<Seen>& elements : elements_) {
    for (const Seen& seen : elements) {
      result.push_back(seen);
      if (seen.needs != Needs::positive) continue;
      result.push_back({seen.residues, Needs::nonzero});
      result.push_back({seen.residues, Needs::nonnegative});
    }
  }
  sort_unique(result);
  return result;
}

std::vector<bool> UseWatch::beyond(const UseWatch& reference) const {
  const std::vector<Seen> known = reference.known();
  const auto is_known = [&](const Seen& seen) { return std::binary_search(known.begin(), known.end(), seen); };
  std::vector<bool> result;
  for (const std::vector<Seen>& elements : elements_) {
    result.push_back(!std::all_of(elements.begin(), elements.end(), is_known));
  }
  return result;
}

}  // namespace isoshard::verify
