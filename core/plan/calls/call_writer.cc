// Writes Maps, which most ops are: as inputs and an output whose dimensions are joined, and steps. Arrays of no
// elements need no call. Cost: dimensions times arrays.
#include "core/plan/calls/call_writer.h"

#include <algorithm>
#include <array>

#include "core/ir/scalar/narrow_dtypes.h"
#include "core/support/check.h"
#include "core/support/rational_gmp.h"

namespace isoshard::calls {

View view_of(const Held& held) { return {held.place, held.type->dtype, row_major(held.type->shape)}; }

View repeated(const Held& scalar, size_t dims) {
  return {scalar.place, scalar.type->dtype, std::vector<int64_t>(dims, 0)};
}

View moved(View view, int64_t elements) {
  view.place += elements * static_cast<int64_t>(info(view.dtype).bytes);
  return view;
}

Compute compute_of(DType dtype) {
  if (is_float(dtype)) return dtype == DType::f64 ? Compute::f64 : Compute::f32;
  return dtype == DType::u64 || dtype == DType::key ? Compute::u64 : Compute::i64;
}

Source input(uint8_t which) { return {From::input, which, 0}; }
Source number(uint64_t bits) { return {From::number, 0, bits}; }
Source index_along(uint8_t dim) { return {From::index, dim, 0}; }

uint64_t constant_bits(const Rational& value, DType dtype) {
  if (dtype == DType::f64) return scalar::bits_as<uint64_t>(value.to_double());
  if (is_float(dtype)) {
    return scalar::bits_as<uint32_t>(is_narrow(dtype) ? scalar::nearest_narrow(dtype, value) : value.to_float());
  }
  const mpz_class integer = to_mpq(value).get_num();
  if (dtype == DType::pred) return integer == 0 ? 0 : 1;
  return integer < 0 ? static_cast<uint64_t>(integer.get_si()) : static_cast<uint64_t>(integer.get_ui());
}

Held CallWriter::scratch(const TensorType& type) {
  ISOSHARD_CHECK(calls_.scratch_bytes == 0, "one value in scratch memory");
  calls_.scratch_bytes = element_count(type.shape) * static_cast<int64_t>(info(type.dtype).bytes);
  return {scratch_, &type};
}

void CallWriter::refuse(std::string reason) {
  if (refusal_.empty()) refusal_ = std::move(reason);
}

bool CallWriter::fits(const Loops& loops) {
  if (loops.fits()) return true;
  refuse("its arrays lie in " + std::to_string(loops.dims()) + " dimensions that cannot be joined; kernels have " +
         std::to_string(kMostDims));
  return false;
}

void CallWriter::map(const Shape& shape, Compute compute, const std::vector<View>& inputs, const View& output,
                     std::initializer_list<Step> steps) {
  if (element_count(shape) == 0) return;
  Loops loops(inputs.size() + 1);
  for (size_t d = 0; d < shape.size(); ++d) {
    std::array<int64_t, Loops::kMostArrays> stride{output.strides[d]};
    for (size_t i = 0; i < inputs.size(); ++i) stride[i + 1] = inputs[i].strides[d];
    loops.add(shape[d], stride);
  }
  if (!fits(loops)) return;
  Map map;
  map.dims = loops.dims();
  map.compute = compute;
  loops.put_sizes(map.size);
  map.output.place = output.place, map.output.dtype = output.dtype;
  loops.put_strides(0, map.output.stride);
  for (const View& from : inputs) {
    Array& array = map.inputs[map.inputs_used++];
    array.place = from.place, array.dtype = from.dtype;
    loops.put_strides(static_cast<size_t>(map.inputs_used), array.stride);
  }
  for (const Step& step : steps) map.steps[map.steps_used++] = step;
  add(map);
}

void CallWriter::copy(const Shape& shape, const View& from, const View& to) {
  map(shape, compute_of(from.dtype), {from}, to, {{StepOp::take, 0, input(0), {}}});
}

void CallWriter::copy(const Held& from, const Held& to) {
  if (from.place == to.place && from.type->dtype == to.type->dtype) return;
  const Shape all{element_count(to.type->shape)};
  copy(all, View{from.place, from.type->dtype, {1}}, View{to.place, to.type->dtype, {1}});
}

void CallWriter::fill(const Held& to, uint64_t bits) {
  const Shape all{element_count(to.type->shape)};
  map(all, compute_of(to.type->dtype), {}, View{to.place, to.type->dtype, {1}}, {{StepOp::take, 0, number(bits), {}}});
}

}  // namespace isoshard::calls
