#include "verify/padding.h"

#include <string>

namespace isoshard::verify {
namespace {

/// The first dimension of the global along which the blocks of `load` are padded, or -1.
int64_t padded_dim(const LoadBlock& load, const Shape& whole) {
  for (size_t d = 0; d < whole.size(); ++d) {
    if (whole[d] % load.count[d] != 0) return static_cast<int64_t>(d);
  }
  return -1;
}

bool same_blocks(const std::vector<sim::StoredBlock>& a, const std::vector<sim::StoredBlock>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (!sim::same_bits(a[i].value, b[i].value)) return false;
  }
  return true;
}

Diagnosis explain(const Plan& plan, const Instruction& i, size_t output, size_t dim) {
  const LoadBlock& load = std::get<LoadBlock>(i.data);
  const Global& global = plan.globals[load.global.index()];
  const int64_t size = global.type.shape[dim], count = load.count[dim];
  const std::string name = "%" + plan.value(i.results[0]).name;
  Diagnosis d;
  d.value = name;
  d.op = i.op;
  d.location = i.location;
  d.cause = "padding of " + name + " reaches @" + plan.outputs[output].name;
  d.facts.push_back("dim " + std::to_string(dim) + " of @" + global.name + " has size " + std::to_string(size) +
                    " in " + std::to_string(count) + " blocks of " + std::to_string((size + count - 1) / count) +
                    ", the last ones padded: select by `block_size` before rows of a block meet");
  return d;
}

}  // namespace

std::optional<Diagnosis> diagnose_padding(const Pair& pair, const sim::Domain& domain,
                                          const std::vector<sim::Value>& globals, const RingOutcome& outcome,
                                          int workers) {
  const Plan& plan = pair.sharded.plan;
  std::optional<sim::RunResult> plain;
  for (const Instruction& i : plan.instructions) {
    const LoadBlock* load = std::get_if<LoadBlock>(&i.data);
    const int64_t dim = load == nullptr ? -1 : padded_dim(*load, plan.globals[load->global.index()].type.shape);
    if (dim < 0) continue;
    sim::RunOptions options;
    options.workers = workers;
    if (!plain) {
      Result<sim::RunResult> run = sim::run(plan, domain, globals, options);
      if (!run) return std::nullopt;
      plain = std::move(*run);
    }
    options.other_padding = i.results[0];
    const Result<sim::RunResult> other = sim::run(plan, domain, globals, options);
    for (size_t o = 0; other && o < plan.outputs.size(); ++o) {
      if (outcome.outputs[o].equal || same_blocks(plain->outputs[o], other->outputs[o])) continue;
      return explain(plan, i, o, static_cast<size_t>(dim));
    }
  }
  return std::nullopt;
}

}  // namespace isoshard::verify
