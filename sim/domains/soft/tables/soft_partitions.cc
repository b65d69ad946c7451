// What depends on many variables in few ways: a table of it has an entry for each combination, a diagram a node for
// each state of whoever reads the variables one after another. That the third token for an expert gets no slot takes
// counting; a table over all tokens would have an entry for each way to route them. Diagrams are shared, and each
// operation visits a pair of nodes once. The last variable is asked first, since what a program makes of a row is
// mostly about that row and those before it.
#include "sim/domains/soft/tables/soft_partitions.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "core/support/mix.h"

namespace isoshard::sim {

/// Numbers labels in the order in which they are first asked for.
class SoftPartitions::Numbering {
 public:
  uint32_t of(uint64_t label) { return known_.try_emplace(label, static_cast<uint32_t>(known_.size())).first->second; }
  size_t count() const { return known_.size(); }

 private:
  std::unordered_map<uint64_t, uint32_t, PairHash> known_;
};

size_t SoftPartitions::PairHash::operator()(uint64_t pair) const { return mix(pair); }

SoftPartitions::SoftPartitions(const SoftTables& tables, const SoftNames& names) : tables_(tables), names_(names) {
  keep(kPart, 1);
}

/// One that leads to the same whatever the entry is no node.
SoftPartitions::Ref SoftPartitions::node(uint32_t variable, std::vector<Ref> children) {
  const bool same = std::all_of(children.begin(), children.end(), [&](Ref child) { return child == children[0]; });
  if (same) return children[0];
  uint64_t hash = mix(variable + 1);
  for (const Ref child : children) hash = mix(hash ^ child);
  const auto [begin, end] = known_nodes_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    if (nodes_[at->second].variable == variable && nodes_[at->second].children == children) return at->second;
  }
  const auto ref = static_cast<Ref>(nodes_.size());
  known_nodes_.emplace(hash, ref);
  nodes_.push_back({variable, std::move(children)});
  return ref;
}

/// The nodes of a diagram, ascending: those that a node leads to come before it.
std::vector<SoftPartitions::Ref> SoftPartitions::below(Ref root) const {
  std::vector<Ref> found;
  const auto visit = [&](Ref ref) {
    if (is_part(ref) || nodes_[ref].mark) return;
    nodes_[ref].mark = true;
    found.push_back(ref);
  };
  visit(root);
  for (size_t i = 0; i < found.size(); ++i) {
    for (const Ref child : nodes_[found[i]].children) visit(child);
  }
  for (const Ref ref : found) nodes_[ref].mark = false;
  std::sort(found.begin(), found.end());
  return found;
}

SoftPartitions::Id SoftPartitions::keep(Ref root, size_t parts) {
  const auto [at, is_new] = known_.try_emplace(root, static_cast<Id>(partitions_.size()));
  if (!is_new) return at->second;
  std::set<uint32_t> variables;
  for (const Ref ref : below(root)) variables.insert(nodes_[ref].variable);
  partitions_.push_back({root, parts, {variables.begin(), variables.end()}});
  return at->second;
}

SoftPartitions::Id SoftPartitions::of_variable(uint32_t variable) {
  const auto [at, is_new] = of_variables_.try_emplace(variable, kWhole);
  if (!is_new) return at->second;
  std::vector<Ref> parts(tables_.variable(variable).entries);
  for (size_t k = 0; k < parts.size(); ++k) parts[k] = kPart + static_cast<Ref>(k);
  const size_t count = parts.size();
  return at->second = keep(node(variable, std::move(parts)), count);
}

bool SoftPartitions::merges(const Variables& variables) const {
  return variables.size() != 1 || tables_.variable(variables[0]).entries <= kManyEntries;
}

bool SoftPartitions::have_table(const Variables& variables) const {
  const size_t most = variables.size() > 1 ? names_.limits().joint : kMostOfOne;
  return tables_.entries(variables, most) <= most;
}

/// The part of a table from `offset` on where entries of the variables from number `count` on are chosen.
SoftPartitions::Ref SoftPartitions::built(const Variables& variables, size_t count, size_t offset,
                                          std::span<const uint32_t> labels) {
  if (count == 0) return kPart + labels[offset];
  const uint32_t variable = variables[count - 1];
  size_t stride = 1;
  for (size_t d = count; d < variables.size(); ++d) stride *= tables_.variable(variables[d]).entries;
  std::vector<Ref> children;
  for (size_t k = 0; k < tables_.variable(variable).entries; ++k) {
    children.push_back(built(variables, count - 1, offset + k * stride, labels));
  }
  return node(variable, std::move(children));
}

SoftPartitions::Numbered SoftPartitions::of_table(const Variables& variables, std::span<const int64_t> table) {
  if (!merges(variables)) return {of_variable(variables[0]), {table.begin(), table.end()}};
  Numbered result;
  std::vector<uint32_t> labels;
  Numbering numbering;
  for (const int64_t number : table) {
    labels.push_back(numbering.of(static_cast<uint64_t>(number)));
    if (numbering.count() > result.numbers.size()) result.numbers.push_back(number);
  }
  const size_t parts = result.numbers.size();
  // In the order of the table; merged() numbers them as diagrams do.
  result.partition = keep(built(variables, variables.size(), 0, labels), parts);
  return merged(result);
}

/// Walks two diagrams at once.
class SoftPartitions::Joiner {
 public:
  Joiner(SoftPartitions& all, size_t most, size_t most_steps) : all_(all), most_(most), most_steps_(most_steps) {}

  size_t steps() const { return steps_; }

  std::optional<Id> join(Ref x, Ref y) {
    const std::optional<Ref> root = at(x, y);
    return root ? std::optional(all_.keep(*root, numbering_.count())) : std::nullopt;
  }

 private:
  std::optional<Ref> at(Ref x, Ref y) {
    if (is_part(x) && is_part(y)) {
      const uint32_t part = numbering_.of(uint64_t{x} << 32 | y);
      return numbering_.count() > most_ ? std::nullopt : std::optional(kPart + part);
    }
    const uint64_t both = uint64_t{x} << 32 | y;
    if (const auto known = done_.find(both); known != done_.end()) return known->second;
    const uint32_t variable = std::max(asked(x), asked(y));
    const size_t entries = all_.tables_.variable(variable).entries;
    if ((steps_ += entries) > most_steps_) return std::nullopt;
    std::vector<Ref> children;
    for (size_t k = 0; k < entries; ++k) {
      const std::optional<Ref> child = at(step(x, variable, k), step(y, variable, k));
      if (!child) return std::nullopt;
      children.push_back(*child);
    }
    return done_[both] = all_.node(variable, std::move(children));
  }

  uint32_t asked(Ref x) const { return is_part(x) ? 0 : all_.nodes_[x].variable; }
  Ref step(Ref x, uint32_t variable, size_t entry) const {
    return is_part(x) || all_.nodes_[x].variable != variable ? x : all_.nodes_[x].children[entry];
  }

  SoftPartitions& all_;
  size_t most_, most_steps_, steps_ = 0;
  Numbering numbering_;
  std::unordered_map<uint64_t, Ref, PairHash> done_;
};

std::optional<SoftPartitions::Id> SoftPartitions::joint(Id x, Id y) {
  if (x == y || y == kWhole) return x;
  if (x == kWhole) return y;
  const auto [at, is_new] = joints_.try_emplace(std::minmax(x, y));
  if (!is_new) return at->second;
  const Variables variables = SoftTables::united(partitions_[x].variables, partitions_[y].variables);
  const size_t own = partitions_[x].variables.size() + partitions_[y].variables.size();
  const size_t most = variables.size() > 1 ? names_.limits().joint : kMostOfOne;
  const bool fits = variables.size() < own || parts(x) * parts(y) <= most;  // of independent ones there are that many
  const bool small = have_table(variables);
  if (!fits || variables.size() > kMostVariables || (!small && steps_ > kMostStepsOfAll)) return at->second;
  Joiner joiner(*this, most, small ? SIZE_MAX : kMostSteps);
  at->second = joiner.join(partitions_[x].root, partitions_[y].root);
  if (!small) steps_ += joiner.steps();
  return at->second;
}

const std::vector<uint32_t>& SoftPartitions::places(Id of, Id over) {
  const auto [at, is_new] = places_.try_emplace({of, over});
  std::vector<uint32_t>& result = at->second;
  if (!is_new) return result;
  result.resize(parts(over));
  std::unordered_set<uint64_t, PairHash> done;
  std::vector<std::pair<Ref, Ref>> open{{partitions_[over].root, partitions_[of].root}};
  while (!open.empty()) {
    const auto [fine, coarse] = open.back();
    open.pop_back();
    if (is_part(fine)) {
      result[fine - kPart] = coarse - kPart;
      continue;
    }
    if (!done.insert(uint64_t{fine} << 32 | coarse).second) continue;
    const Node& asked = nodes_[fine];
    const bool both = !is_part(coarse) && nodes_[coarse].variable == asked.variable;
    for (size_t k = 0; k < asked.children.size(); ++k) {
      open.emplace_back(asked.children[k], both ? nodes_[coarse].children[k] : coarse);
    }
  }
  return result;
}

SoftPartitions::Id SoftPartitions::merged(Id x, std::span<const uint32_t> labels) {
  Numbering numbering;
  std::unordered_map<Ref, Ref> become;
  // As a diagram is read: entry by entry, the first one first.
  const auto visit = [&](const auto& self, Ref ref) -> Ref {
    if (is_part(ref)) return kPart + numbering.of(labels[ref - kPart]);
    if (const auto known = become.find(ref); known != become.end()) return known->second;
    std::vector<Ref> children = nodes_[ref].children;  // node() may move nodes
    for (Ref& child : children) child = self(self, child);
    return become[ref] = node(nodes_[ref].variable, std::move(children));
  };
  const Ref root = visit(visit, partitions_[x].root);
  return keep(root, numbering.count());
}

SoftPartitions::Numbered SoftPartitions::merged(const Numbered& x) {
  Numbering numbering;
  std::vector<uint32_t> labels;
  for (const int64_t number : x.numbers) labels.push_back(numbering.of(static_cast<uint64_t>(number)));
  Numbered result{merged(x.partition, labels), {}};
  result.numbers.resize(parts(result.partition));
  const std::vector<uint32_t>& part_of = places(result.partition, x.partition);
  for (size_t p = 0; p < part_of.size(); ++p) result.numbers[part_of[p]] = x.numbers[p];
  return result;
}

std::vector<uint32_t> SoftPartitions::dense(Id x) const {
  const Variables& variables = partitions_[x].variables;
  std::vector<Ref> refs{partitions_[x].root};
  for (size_t d = variables.size(); d-- > 0;) {  // entries of earlier variables are further apart
    const size_t entries = tables_.variable(variables[d]).entries, inner = refs.size();
    std::vector<Ref> next(entries * inner);
    for (size_t k = 0; k < entries; ++k) {
      for (size_t i = 0; i < inner; ++i) {
        const Ref ref = refs[i];
        const bool asks = !is_part(ref) && nodes_[ref].variable == variables[d];
        next[k * inner + i] = asks ? nodes_[ref].children[k] : ref;
      }
    }
    refs = std::move(next);
  }
  std::vector<uint32_t> result;
  for (const Ref ref : refs) result.push_back(ref - kPart);
  return result;
}

/// From the root down: a node has the weight of all ways that lead to it.
std::vector<uint64_t> SoftPartitions::weights(Id x) const {
  const size_t residues = names_.weight_residues();
  const std::vector<Ref> nodes = below(partitions_[x].root);
  if (nodes.empty()) return std::vector<uint64_t>(residues, 1);
  std::unordered_map<Ref, size_t> place;
  for (const Ref ref : nodes) place.emplace(ref, place.size());
  // Of the nodes, then of the parts.
  std::vector<uint64_t> reached((nodes.size() + parts(x)) * residues, 0);
  std::fill_n(reached.begin() + static_cast<std::ptrdiff_t>((nodes.size() - 1) * residues), residues, 1);
  for (size_t i = nodes.size(); i-- > 0;) {
    const Node& asked = nodes_[nodes[i]];
    const std::vector<uint64_t>& weight = tables_.variable(asked.variable).weights;
    for (size_t k = 0; k < asked.children.size(); ++k) {
      const Ref child = asked.children[k];
      const size_t to = is_part(child) ? nodes.size() + (child - kPart) : place.at(child);
      for (size_t r = 0; r < residues; ++r) {
        const PrimeField& field = names_.field(r);
        uint64_t& sum = reached[to * residues + r];
        sum = field.add(sum, field.multiply(reached[i * residues + r], weight[k * residues + r]));
      }
    }
  }
  reached.erase(reached.begin(), reached.begin() + static_cast<std::ptrdiff_t>(nodes.size() * residues));
  return reached;
}

}  // namespace isoshard::sim
