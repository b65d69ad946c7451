// Writes Maps, which most ops are: as inputs and an output whose dimensions are joined, and steps. Arrays of no
// elements need no call. Cost: dimensions times arrays.
#include "core/plan/calls/writing/call_writer.h"

#include <utility>

#include "core/ir/scalar/narrow_dtypes.h"
#include "core/support/check.h"
#include "core/support/rational_gmp.h"

namespace isoshard::calls {

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
  return {scratch(element_count(type.shape) * static_cast<int64_t>(info(type.dtype).bytes)), &type};
}

Place CallWriter::scratch(int64_t bytes) {
  ISOSHARD_CHECK(calls_.scratch_bytes == 0, "one value in scratch memory");
  calls_.scratch_bytes = bytes;
  return scratch_;
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

void CallWriter::add(LocalCall call) {
  calls_.calls.push_back(std::move(call));
  calls_.chain.reset();
}

void CallWriter::map(const Shape& shape, Compute compute, const std::vector<View>& inputs, const View& output,
                     std::initializer_list<Step> steps) {
  if (element_count(shape) == 0) return;
  Chain chain{shape, compute, inputs, steps};
  if (!fits(loops_of(chain, output))) return;
  add(*to_map(chain, output));
  if (calls_.calls.size() == 1 && is_whole_result(shape, output)) calls_.chain = std::move(chain);
}

bool CallWriter::is_whole_result(const Shape& shape, const View& output) const {
  if (results_.size() != 1 || results_[0].place != output.place || results_[0].type->dtype != output.dtype)
    return false;
  return element_count(shape) == element_count(results_[0].type->shape) && output.strides == row_major(shape);
}

void CallWriter::copy(const Shape& shape, const View& from, const View& to) {
  map(shape, compute_of(from.dtype), {from}, to, {{StepOp::take, 0, input(0), {}}});
}

void CallWriter::copy(const Held& from, const Held& to) {
  if (from.place == to.place && from.type->dtype == to.type->dtype) return;
  const Shape& shape = to.type->shape;
  if (from.type->shape == shape) return copy(shape, view_of(from), view_of(to));
  const Shape all{element_count(shape)};
  copy(all, View{from.place, from.type->dtype, {1}}, View{to.place, to.type->dtype, {1}});
}

void CallWriter::fill(const Held& to, uint64_t bits) {
  map(to.type->shape, compute_of(to.type->dtype), {}, view_of(to), {{StepOp::take, 0, number(bits), {}}});
}

}  // namespace isoshard::calls
