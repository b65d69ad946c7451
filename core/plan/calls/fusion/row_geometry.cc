// Where the elements of rows are, and the kernel that goes through them: the dimensions that number rows and those of
// their elements are joined apart. Cost: dimensions times inputs, and steps.
#include "core/plan/calls/fusion/row_geometry.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace isoshard::calls {
namespace {

constexpr int64_t kThreadsOfRows = 128;

void put_pass(const RowSteps& pass, RowMap& call) {
  RowPass& to = call.passes[call.passes_used++];
  to.row_steps = static_cast<int32_t>(pass.row.size()), to.steps = static_cast<int32_t>(pass.elements.size());
  if (pass.number) to.reduces = 1, to.op = pass.op, to.number = *pass.number;
  for (const auto* steps : {&pass.row, &pass.elements}) {
    for (const Step& step : *steps) call.steps[call.steps_used++] = step;
  }
}

void put_loops(const Loops& loops, int32_t first, RowMap& call) {
  loops.put_sizes(call.size + first);
  const auto inputs = static_cast<size_t>(call.inputs_used);
  for (size_t i = 0; i < inputs; ++i) loops.put_strides(i, call.inputs[i].stride + first);
  loops.put_strides(inputs, call.output.stride + first);
}

}  // namespace

RowGeometry::RowGeometry(const ReductionOf& reduction)
    : whole_(reduction.operand.type->shape), kept_(whole_.size() - reduction.dims.size()) {
  for (size_t d = 0; d < whole_.size(); ++d) (d < kept_ ? count_ : terms_) *= whole_[d];
}

std::optional<View> RowGeometry::along_rows(View view, const Shape& shape) const {
  if (shape == whole_) return view;
  std::vector<int64_t> strides(whole_.size(), 0);
  size_t d = 0;
  for (size_t w = 0; w < kept_; ++w) {
    if (whole_[w] == 1) continue;
    while (d < shape.size() && shape[d] == 1) ++d;
    if (d == shape.size() || shape[d] != whole_[w]) return std::nullopt;
    strides[w] = view.strides[d++];
  }
  view.strides = std::move(strides);
  return view;
}

std::vector<int64_t> RowGeometry::strides_per_row() const {
  const auto kept = whole_.begin() + static_cast<std::ptrdiff_t>(kept_);
  std::vector<int64_t> strides = row_major(Shape(whole_.begin(), kept));
  strides.resize(whole_.size(), 0);
  return strides;
}

bool RowGeometry::agrees(const std::vector<int64_t>& a, const std::vector<int64_t>& b) const {
  for (size_t d = 0; d < whole_.size(); ++d) {
    if (whole_[d] != 1 && a[d] != b[d]) return false;
  }
  return true;
}

bool RowGeometry::lie_along(const std::vector<View>& inputs) const {
  const size_t last = whole_.size() - 1;
  return std::all_of(inputs.begin(), inputs.end(), [&](const View& from) {
    const int64_t terms_apart = std::abs(from.strides[last]);
    for (size_t d = 0; d < kept_; ++d) {
      const int64_t rows_apart = std::abs(from.strides[d]);
      if (whole_[d] != 1 && rows_apart != 0 && rows_apart < terms_apart) return false;
    }
    return true;
  });
}

Loops RowGeometry::half(size_t first, size_t end, const std::vector<View>& inputs, const View& output) const {
  Loops loops(inputs.size() + 1);
  for (size_t d = first; d < end; ++d) {
    std::array<int64_t, Loops::kMostArrays> stride{};
    for (size_t i = 0; i < inputs.size(); ++i) stride[i] = inputs[i].strides[d];
    stride[inputs.size()] = output.strides[d];
    loops.add(whole_[d], stride);
  }
  return loops;
}

std::optional<RowMap> RowGeometry::kernel(Compute compute, const std::vector<RowSteps>& passes, int32_t slots,
                                          const std::vector<View>& inputs, const View& output, bool per_row) const {
  const Loops kept = half(0, kept_, inputs, output), terms = half(kept_, whole_.size(), inputs, output);
  size_t steps = 0;
  for (const RowSteps& pass : passes) steps += pass.row.size() + pass.elements.size();
  if (steps > kMostRowSteps || kept.dims() + terms.dims() > kMostDims) return std::nullopt;
  RowMap call;
  call.kept = kept.dims(), call.dims = kept.dims() + terms.dims();
  call.compute = compute, call.terms = terms_, call.slots = slots, call.per_row = per_row ? 1 : 0;
  for (const View& from : inputs) {
    Array& array = call.inputs[call.inputs_used++];
    array.place = from.place, array.dtype = from.dtype;
  }
  call.output.place = output.place, call.output.dtype = output.dtype;
  put_loops(kept, 0, call), put_loops(terms, call.kept, call);
  for (const RowSteps& pass : passes) put_pass(pass, call);
  const int64_t bytes = waiting_of_thread(call) * kThreadsOfRows * (compute == Compute::f32 ? 4 : 8);
  return bytes > kMostRowBytes ? std::nullopt : std::optional(call);
}

}  // namespace isoshard::calls
