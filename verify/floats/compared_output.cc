// How far both programs' values of one output are apart, element by element, beside the bounds of their rounding: the
// first element that no rounding explains is a counterexample, and of one run the largest distances are told. Cost: two
// passes over the output.
#include "verify/floats/compared_output.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "verify/compare/bounded_element.h"
#include "verify/facts/block_rows.h"

namespace isoshard::verify {
namespace {

void take_distance(const Bounded& a, const Bounded& b, FloatOutput& out) {
  const double x = shown(a, b), y = shown(b, a);
  const double difference = x == y ? 0 : std::abs(x - y);
  out.max_abs = std::isnan(difference) ? difference : std::max(out.max_abs, difference);
  out.max_size = std::max({out.max_size, std::abs(x), std::abs(y)});
  if (difference != 0 && y != 0) out.max_rel = std::max(out.max_rel, difference / std::abs(y));
  out.max_bound = std::max(out.max_bound, a.error + b.error);
  const double size = std::max(std::abs(x), std::abs(y));
  if (size > 0) out.resolution = std::min(out.resolution, kManyBounds * (a.error + b.error) / size);
}

/// Calls visit(block, index in the whole, ours, the reference's).
template <class Visit>
void for_each_pair(const ComparedOutput& output, const Visit& visit) {
  const BoundedElements theirs(output.whole);
  for (const sim::StoredBlock& block : output.blocks) {
    const BoundedElements ours(block.value);
    for_each_row(block, output.type.shape, [&](const BlockRow& row) {
      for (int64_t i = 0; i < row.length; ++i) {
        visit(block, row.in_whole + i, ours[row.in_block + i], theirs[row.in_whole + i]);
      }
    });
  }
}

/// The first element that is further apart than rounding explains and than `least`.
void find_far(const FloatRun& run, const ComparedOutput& output, double least, std::optional<Counterexample>& found) {
  for_each_pair(output, [&](const sim::StoredBlock& block, int64_t index, const Bounded& a, const Bounded& b) {
    if (found || !far(a, b, least)) return;
    found = Counterexample{unflatten(index, output.type.shape),
                           block.position,
                           shown(a, b),
                           shown(b, a),
                           a.error + b.error,
                           run.floats.scale,
                           run.draw,
                           run.step,
                           run.masks,
                           run.inputs,
                           run.special || std::isnan(a.value),
                           {}};
  });
}

}  // namespace

void compare_as_written(FloatRun run, const ComparedOutput& output, FloatOutput& out) {
  run.masks = Masks::as_written;
  double largest = 0;
  for_each_pair(output, [&](const sim::StoredBlock&, int64_t, const Bounded& a, const Bounded& b) {
    if (std::isfinite(a.error + b.error)) largest = std::max(largest, a.error + b.error);
  });
  find_far(run, output, kManyBounds * largest, out.counterexample);
  if (!out.counterexample) find_far(run, output, 0, out.trace);
}

void compare_output_in_floats(const FloatRun& run, const ComparedOutput& output, FloatOutput& out) {
  if (run.measure) {
    for_each_pair(output, [&](const sim::StoredBlock&, int64_t, const Bounded& a, const Bounded& b) {
      take_distance(a, b, out);
    });
  }
  find_far(run, output, 0, out.counterexample);
}

}  // namespace isoshard::verify
