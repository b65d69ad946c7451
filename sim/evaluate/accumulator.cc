#include "sim/evaluate/accumulator.h"

#include <cstring>
#include <utility>

#include "core/support/check.h"
#include "sim/evaluate/combine.h"
#include "sim/value/new_value.h"

namespace isoshard::sim {

Accumulator::Accumulator(const Value& first, std::optional<Extreme> op, bool native) : op_(op), native_(native) {
  NewValue copy(first.type, first.storage);
  if (copy.bytes() != 0) std::memcpy(copy.data.get(), first.data.get(), copy.bytes());
  data_ = copy.data;
  sum_ = std::move(copy).finish();
}

void Accumulator::add(const Value& x, const Domain& domain) {
  ISOSHARD_CHECK(x.type == sum_.type && x.storage == sum_.storage, "terms of a sum differ in type");
  if (op_) return extreme_into(*op_, data_.get(), x, domain);
  if (!is_float(x.type.dtype)) {
    return domain.integer_op(IntegerOp::add, x.type.dtype, x.size(), data_.get(), x.data.get(), data_.get());
  }
  domain.accumulate(x.type.dtype, x.size(), data_.get(), x.data.get());
  if (native_) return domain.finish_sum(x.type.dtype, x.size(), data_.get());
  rounds_ = &domain;
}

Value Accumulator::current() const {
  NewValue copy(sum_.type, sum_.storage);
  if (copy.bytes() != 0) std::memcpy(copy.data.get(), data_.get(), copy.bytes());
  if (rounds_ != nullptr) rounds_->finish_sum(copy.type.dtype, copy.size(), copy.data.get());
  return std::move(copy).finish();
}

Value Accumulator::take() {
  if (rounds_ != nullptr) rounds_->finish_sum(sum_.type.dtype, sum_.size(), data_.get());
  data_.reset();
  return std::exchange(sum_, Value{});
}

}  // namespace isoshard::sim
