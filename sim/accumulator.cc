#include "sim/accumulator.h"

#include <cstring>
#include <utility>

#include "core/support/check.h"
#include "sim/combine.h"
#include "sim/integer_ops.h"
#include "sim/new_value.h"

namespace isoshard::sim {

Accumulator::Accumulator(const Value& first, std::optional<Extreme> op) : op_(op) {
  NewValue copy(first.type, first.storage);
  if (copy.bytes() != 0) std::memcpy(copy.data.get(), first.data.get(), copy.bytes());
  data_ = copy.data;
  sum_ = std::move(copy).finish();
}

void Accumulator::add(const Value& x, const Domain& domain) {
  ISOSHARD_CHECK(x.type == sum_.type && x.storage == sum_.storage, "terms of a sum differ in type");
  if (op_) return extreme_into(*op_, data_.get(), x, domain);
  if (is_float(x.type.dtype)) return domain.accumulate(x.type.dtype, x.size(), data_.get(), x.data.get());
  ISOSHARD_CHECK(x.type.dtype == DType::i32, "predicates have no sum");
  auto* sum = reinterpret_cast<uint32_t*>(data_.get());
  integer::add(x.size(), sum, x.plane<uint32_t>(0).data(), sum);
}

Value Accumulator::take() {
  data_.reset();
  return std::exchange(sum_, Value{});
}

}  // namespace isoshard::sim
