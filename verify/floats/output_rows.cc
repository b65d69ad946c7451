#include "verify/floats/output_rows.h"

#include <algorithm>

#include "sim/integers/integer_ops.h"

namespace isoshard::verify {
namespace {

/// Some integer global has no declared range.
bool any_undeclared(const Pair& pair) {
  for (size_t g = 0; g < pair.used.size(); ++g) {
    const Global& global = pair.module->globals[g];
    if (pair.used[g] && is_integer(global.type.dtype) && !global.range) return true;
  }
  return false;
}

}  // namespace

OutputRows::OutputRows(const Pair& pair, const std::vector<RingOutput>& known) {
  if (!any_undeclared(pair)) return;
  const size_t outputs = pair.sharded.plan.outputs.size();
  const std::vector<Global>& globals = pair.module->globals;
  ranges_.resize(outputs);
  for (size_t o = 0; o < outputs; ++o) {
    const IntegerInputs* covered = known.empty() ? nullptr : known[o].covered_by.get();
    const std::vector<IntegerValues> own = covered == nullptr ? integer_values(pair, o) : std::vector<IntegerValues>{};
    for (size_t g = 0; g < globals.size(); ++g) {
      if (!is_integer(globals[g].type.dtype) || globals[g].range) continue;
      const IntegerValues& values = covered == nullptr ? own[g] : covered->at(globals[g].name);
      if (values.range) ranges_[o].emplace(globals[g].name, *values.range);
    }
  }
}

void OutputRows::Missed::take(const Global& global, const sim::Value& value) {
  if (missed_.empty() || !is_integer(global.type.dtype)) return;
  std::vector<int64_t> numbers(static_cast<size_t>(value.size()));
  sim::integer::widen(global.type.dtype, value.size(), value.data.get(), numbers.data());
  for (size_t o = 0; o < missed_.size(); ++o) {
    const auto range = rows_.ranges_[o].find(global.name);
    if (range == rows_.ranges_[o].end()) continue;
    const auto outside = [&](int64_t number) { return !range->second.contains(number); };
    missed_[o] = missed_[o] || std::any_of(numbers.begin(), numbers.end(), outside);
  }
}

}  // namespace isoshard::verify
