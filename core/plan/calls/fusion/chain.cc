// From the chain of a value to a kernel. Cost: dimensions times inputs, and steps.
#include "core/plan/calls/fusion/chain.h"

#include <algorithm>
#include <array>

namespace isoshard::calls {

Compute compute_of(DType dtype) {
  if (is_float(dtype)) return dtype == DType::f64 ? Compute::f64 : Compute::f32;
  return dtype == DType::u64 || dtype == DType::key ? Compute::u64 : Compute::i64;
}

Loops loops_of(const Chain& chain, const View& output) {
  Loops loops(chain.inputs.size() + 1);
  for (size_t d = 0; d < chain.shape.size(); ++d) {
    std::array<int64_t, Loops::kMostArrays> stride{output.strides[d]};
    for (size_t i = 0; i < chain.inputs.size(); ++i) stride[i + 1] = chain.inputs[i].strides[d];
    loops.add(chain.shape[d], stride);
  }
  return loops;
}

std::optional<Map> to_map(const Chain& chain, const View& output) {
  if (chain.inputs.size() > kMostInputs || chain.steps.size() > kMostSteps) return std::nullopt;
  const Loops loops = loops_of(chain, output);
  if (!loops.fits()) return std::nullopt;
  Map map;
  map.dims = loops.dims();
  map.compute = chain.compute;
  loops.put_sizes(map.size);
  map.output.place = output.place, map.output.dtype = output.dtype;
  loops.put_strides(0, map.output.stride);
  for (const View& from : chain.inputs) {
    Array& array = map.inputs[map.inputs_used++];
    array.place = from.place, array.dtype = from.dtype;
    loops.put_strides(static_cast<size_t>(map.inputs_used), array.stride);
  }
  map.steps_used = static_cast<int32_t>(chain.steps.size());
  std::copy(chain.steps.begin(), chain.steps.end(), map.steps);
  return map;
}

}  // namespace isoshard::calls
