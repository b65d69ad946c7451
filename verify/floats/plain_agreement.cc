// Beside an EQUAL, special inputs ask whether floats have a zero, a tie or an overflow that formulas forget. Mostly
// they have not, and plain f64 shows that in a twentieth of the time that bounds of rounding take: elements as close as
// the bounds of an ordinary run could tell at best (ADR 101) are no difference with bounds either. Any other run is
// made with bounds, which decide. Cost: one run of both programs.
#include "verify/floats/plain_agreement.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/support/result.h"
#include "core/value/integers.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/run/assemble.h"
#include "verify/facts/block_rows.h"

namespace isoshard::verify {
namespace {

bool are_close(double a, double b, double resolution) {
  if (a == b) return std::signbit(a) == std::signbit(b);  // of infinities, too
  const double size = std::max(std::abs(a), std::abs(b));
  return std::isfinite(size) && std::abs(a - b) <= resolution * size;  // false for nan, too
}

/// Runs of elements as they lie; floats are f64, all others have to be the same.
bool rows_are_close(const sim::Value& block, const sim::Value& whole, const BlockRow& row, double resolution) {
  const auto in_block = static_cast<size_t>(row.in_block), in_whole = static_cast<size_t>(row.in_whole);
  const auto n = static_cast<size_t>(row.length);
  if (!is_float(block.type.dtype)) {
    const size_t bytes = block.storage.element_bytes;
    const std::byte* ours = block.data.get() + in_block * bytes;
    return std::equal(ours, ours + n * bytes, whole.data.get() + in_whole * bytes);
  }
  const double *a = block.plane<double>(0).data() + in_block, *b = whole.plane<double>(0).data() + in_whole;
  for (size_t i = 0; i < n; ++i) {
    if (!are_close(a[i], b[i], resolution)) return false;
  }
  return true;
}

bool output_is_close(const Pair& pair, const PairResult& result, size_t output, double resolution) {
  const TensorType& type = pair.sharded.plan.outputs[output].type;
  const sim::Value whole = sim::assemble(type, result.reference.outputs[pair.reference_output[output]]).value;
  bool close = true;
  for (const sim::StoredBlock& block : result.sharded.outputs[output]) {
    for_each_row(block, type.shape,
                 [&](const BlockRow& row) { close = close && rows_are_close(block.value, whole, row, resolution); });
  }
  return close;
}

}  // namespace

bool agrees_plainly(const Pair& pair, const sim::PaddingNumbers& padding, const DrawsIn& inputs,
                    const std::vector<double>& resolution, const sim::Workers& workers) {
  sim::FloatDomain plain(sim::Precision::f64, sim::FloatPadding::numbers);
  plain.pad_with(padding);
  PairRun both(pair, plain, inputs(plain), workers);
  for (int64_t step = 1; step <= pair.steps; ++step) {
    if (!both.next()) return false;
    for (size_t o = 0; o < resolution.size(); ++o) {
      if (!output_is_close(pair, both.result(), o, resolution[o])) return false;
    }
  }
  return true;
}

}  // namespace isoshard::verify
