// Sums and extremes in the order of their terms. The first term is only looked at: others may hold it, so that what is
// written is an array of the accumulator's own, made with the second term. Terms of a float sum that are there together
// are added piece by piece (Domain::add_up), so that each is read once and the sum stays in the caches.
// Cost: one pass over each term, and one over the sum for each call.
#include "sim/evaluate/accumulator.h"

#include <cstring>
#include <utility>
#include <vector>

#include "core/support/check.h"
#include "sim/evaluate/combine.h"
#include "sim/value/new_value.h"

namespace isoshard::sim {

Accumulator::Accumulator(Value first, std::optional<Extreme> op, bool native)
    : sum_(std::move(first)), op_(op), native_(native) {}

void Accumulator::add(std::span<const Value> terms, const Domain& domain) {
  for (const Value& x : terms) {
    ISOSHARD_CHECK(x.type == sum_.type && x.storage == sum_.storage, "terms of a sum differ in type");
  }
  if (!terms.empty() && !op_ && !native_ && is_float(sum_.type.dtype)) return add_floats(terms, domain);
  for (const Value& x : terms) combine_with(x, domain);
}

void Accumulator::add_floats(std::span<const Value> terms, const Domain& domain) {
  if (data_ == nullptr) data_ = allocate_aligned(sum_.bytes());
  std::vector<const std::byte*> all{sum_.data.get()};
  for (const Value& x : terms) all.push_back(x.data.get());
  domain.add_up(sum_.type.dtype, sum_.size(), all, data_.get());
  sum_.data = data_;
  rounds_ = &domain;
}

/// Copies the first value.
void Accumulator::own() {
  if (data_ != nullptr) return;
  data_ = allocate_aligned(sum_.bytes());
  if (sum_.bytes() != 0) std::memcpy(data_.get(), sum_.data.get(), sum_.bytes());
  sum_.data = data_;
}

void Accumulator::combine_with(const Value& x, const Domain& domain) {
  own();
  if (op_) return extreme_into(*op_, data_.get(), x, domain);
  if (!is_float(x.type.dtype)) {
    return domain.integer_op(IntegerOp::add, x.type.dtype, x.size(), data_.get(), x.data.get(), data_.get());
  }
  domain.accumulate(x.type.dtype, x.size(), data_.get(), x.data.get());
  domain.finish_sum(x.type.dtype, x.size(), data_.get());
}

Value Accumulator::current() const {
  if (data_ == nullptr) return sum_;
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
