// A chain in front of a reduction: the kernel computes each term where it takes it up, so that the operand is neither
// written nor read. Terms are rounded to the dtype of the operand as memory would have done, and taken up in the order
// that they had there, so the bits stay the same. Dimensions of the output and those of terms are joined apart.
//
// Others who read the operand compute it again, later. Where the result is written over what they would read, as the
// sum of a softmax often is over the maxima, the kernel also writes the operand, as its own kernel would have done.
//
// It stays two kernels where the operand is seen in another shape than it was made in; where the chain computes in
// other numbers than the sum; where it would have more steps or dimensions than a kernel; and where the result is
// written over an input of the chain, which other threads still read; results of chunks are written apart, and over
// nothing. Cost: inputs times dimensions.
#include "core/plan/calls/fusion/reducing.h"

#include <algorithm>

namespace isoshard::calls {
namespace {

bool is_reduced(const ReductionOf& reduction, size_t dim) {
  return std::find(reduction.dims.begin(), reduction.dims.end(), static_cast<int64_t>(dim)) != reduction.dims.end();
}

/// Whether the input has one element for all terms of an output, where that output is.
bool is_in_place(const View& input, const ReductionOf& reduction, const Chain& chain) {
  const View to = view_of(reduction.result);
  if (input.place != to.place || info(input.dtype).bytes != info(to.dtype).bytes) return false;
  std::vector<int64_t> kept;
  for (size_t d = 0; d < chain.shape.size(); ++d) {
    if (!is_reduced(reduction, d)) {
      kept.push_back(input.strides[d]);
    } else if (input.strides[d] != 0 && chain.shape[d] != 1) {
      return false;
    }
  }
  return kept == to.strides;
}

bool is_written_over(const View& input, const ReductionOf& reduction, const Chain& chain) {
  return extent_of(input, chain.shape).overlaps(extent_of(view_of(reduction.result), reduction.result.type->shape));
}

bool writes_over_input(const ReductionOf& reduction, const Chain& chain) {
  return std::any_of(chain.inputs.begin(), chain.inputs.end(),
                     [&](const View& input) { return is_written_over(input, reduction, chain); });
}

/// Whether threads of other outputs may still read what the result is written over. Those of one output have read all
/// that the result depends on when it is written.
bool writes_over_other_outputs(const ReductionOf& reduction, const Chain& chain) {
  return std::any_of(chain.inputs.begin(), chain.inputs.end(), [&](const View& input) {
    return is_written_over(input, reduction, chain) && !is_in_place(input, reduction, chain);
  });
}

/// The dimensions of the output, or those of terms.
Loops half_of(const Chain& chain, const ReductionOf& reduction, bool reduced) {
  const std::vector<int64_t> stored = row_major(chain.shape);
  Loops loops(chain.inputs.size() + 1);
  for (size_t d = 0; d < chain.shape.size(); ++d) {
    if (is_reduced(reduction, d) != reduced) continue;
    std::array<int64_t, Loops::kMostArrays> stride{};
    for (size_t i = 0; i < chain.inputs.size(); ++i) stride[i] = chain.inputs[i].strides[d];
    stride[chain.inputs.size()] = stored[d];
    loops.add(chain.shape[d], stride);
  }
  return loops;
}

}  // namespace

std::optional<ReducedMap> with_terms_of(const MadeValue& made, const ReductionOf& reduction, bool is_needed) {
  Chain chain = made.chain;
  const TensorType& type = *made.value.type;
  const bool same_shape = chain.shape == type.shape && type.shape == reduction.operand.type->shape;
  if (!same_shape || chain.inputs.empty() || chain.compute != compute_of(type.dtype)) return std::nullopt;
  const auto rounded = rounding(chain, type.dtype);
  if (!rounded || (!reduction.chunks && writes_over_other_outputs(reduction, chain))) return std::nullopt;
  const View operand = view_of(made.value);
  const bool stores = is_needed && writes_over_input(reduction, chain);
  if (stores && (reduction.op != Reducing::add || writes_over_others(chain, operand))) return std::nullopt;
  chain.steps.insert(chain.steps.end(), rounded->begin(), rounded->end());
  const Loops kept = half_of(chain, reduction, false), terms = half_of(chain, reduction, true);
  if (chain.steps.size() > kMostSteps || kept.dims() + terms.dims() > kMostDims) return std::nullopt;
  ReducedMap call;
  call.op = reduction.op, call.kept = kept.dims(), call.terms = terms.count();
  Map& map = call.map;
  map.dims = kept.dims() + terms.dims(), map.compute = chain.compute;
  kept.put_sizes(map.size), terms.put_sizes(map.size + kept.dims());
  map.output.dtype = type.dtype;
  call.output = reduction.chunks.value_or(reduction.result.place), call.chunks_apart = reduction.chunks ? 1 : 0;
  if (stores) {
    call.stores = 1, map.output.place = operand.place;
    kept.put_strides(chain.inputs.size(), map.output.stride);
    terms.put_strides(chain.inputs.size(), map.output.stride + kept.dims());
  }
  for (const View& from : chain.inputs) {
    const auto i = static_cast<size_t>(map.inputs_used++);
    map.inputs[i].place = from.place, map.inputs[i].dtype = from.dtype;
    kept.put_strides(i, map.inputs[i].stride), terms.put_strides(i, map.inputs[i].stride + kept.dims());
  }
  map.steps_used = static_cast<int32_t>(chain.steps.size());
  std::copy(chain.steps.begin(), chain.steps.end(), map.steps);
  return call;
}

}  // namespace isoshard::calls
