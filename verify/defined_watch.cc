// The reference is assumed to have a value, so what it divides by is not 0. A fingerprint, two residues of each
// element, tells whether the sharded program divides by the same. That is sound in one direction only: who shows that
// results do not rest on a quotient elsewhere is verify/definedness.h.
#include "verify/defined_watch.h"

#include <algorithm>
#include <set>

namespace isoshard::verify {

DefinedWatch::DefinedWatch(const Plan& plan, const std::vector<bool>& positive)
    : uses_(partial_uses(plan, positive)),
      renamed_(renamings(plan)),
      wanted_(plan.values.size(), false),
      only_nonzero_(plan.values.size(), true),
      residues_(plan.values.size()) {
  for (const PartialUse& use : uses_) {
    for (const PartialArgument& argument : use.arguments) {
      wanted_[argument.value.index()] = true;
      if (argument.needs != Needs::nonzero) only_nonzero_[argument.value.index()] = false;
    }
  }
  for (bool grown = true; grown;) {
    grown = false;
    for (const Renaming& r : renamed_) {
      if (!wanted_[r.to.index()] || wanted_[r.from.index()]) continue;
      wanted_[r.from.index()] = grown = true;
      if (!only_nonzero_[r.to.index()]) only_nonzero_[r.from.index()] = false;
    }
  }
}

void DefinedWatch::observe(const sim::Domain& domain) {
  ring_ = dynamic_cast<const sim::ExactRing*>(&domain);
  for (std::vector<Residues>& all : residues_) all.clear();
}

void DefinedWatch::on_value(int64_t, PlanValueId id, const sim::Value& value) {
  if (!wanted_[id.index()] || ring_ == nullptr) return;
  std::vector<Residues> elements;
  for (int64_t i = 0; i < value.size(); ++i) {
    const Residues residues{ring_->residue(value, 0, i), ring_->residue(value, ring_->lanes() - 1, i)};
    const bool zero = residues[0] == 0 && residues[1] == 0;
    if (only_nonzero_[id.index()] && !zero && ring_->is_number(value.size(), value.data.get(), i)) continue;
    elements.push_back(residues);
  }
  std::sort(elements.begin(), elements.end());
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  const std::lock_guard lock(mutex_);
  std::vector<Residues>& all = residues_[id.index()];
  all.insert(all.end(), elements.begin(), elements.end());
}

/// Also those of what it was before a loop handed it on.
std::vector<DefinedWatch::Residues> DefinedWatch::residues_of(PlanValueId id) const {
  std::set<PlanValueId> names{id};
  for (bool grown = true; grown;) {
    grown = false;
    for (const Renaming& r : renamed_) {
      if (names.count(r.to) != 0) grown = names.insert(r.from).second || grown;
    }
  }
  std::vector<Residues> result;
  for (const PlanValueId name : names) {
    const std::vector<Residues>& all = residues_[name.index()];
    result.insert(result.end(), all.begin(), all.end());
  }
  return result;
}

/// By what is needed of them: what is positive is neither 0 nor negative.
DefinedWatch::Known DefinedWatch::known(bool droppable) const {
  Known result;
  const auto add = [&](Needs needs, const std::vector<Residues>& from) {
    result[needs].insert(result[needs].end(), from.begin(), from.end());
  };
  for (const PartialUse& use : uses_) {
    if (use.droppable && !droppable) continue;
    for (const PartialArgument& argument : use.arguments) {
      const std::vector<Residues> residues = residues_of(argument.value);
      add(argument.needs, residues);
      if (argument.needs != Needs::positive) continue;
      add(Needs::nonzero, residues);
      add(Needs::nonnegative, residues);
    }
  }
  for (auto& [needs, all] : result) std::sort(all.begin(), all.end());
  return result;
}

std::vector<size_t> DefinedWatch::beyond(const DefinedWatch& reference) const {
  const std::array<Known, 2> known{reference.known(false), reference.known(true)};
  std::vector<size_t> result;
  for (size_t u = 0; u < uses_.size(); ++u) {
    const auto is_known = [&](const PartialArgument& argument) {
      const Known& by_needs = known[uses_[u].droppable ? 1 : 0];
      const auto all = by_needs.find(argument.needs);
      const std::vector<Residues> own = residues_of(argument.value);
      return own.empty() || (all != by_needs.end() && std::all_of(own.begin(), own.end(), [&](const Residues& x) {
                               return std::binary_search(all->second.begin(), all->second.end(), x);
                             }));
    };
    if (!std::all_of(uses_[u].arguments.begin(), uses_[u].arguments.end(), is_known)) result.push_back(u);
  }
  return result;
}

}  // namespace isoshard::verify
