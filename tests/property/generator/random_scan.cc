// Calls and scans.

#include <algorithm>
#include <utility>

#include "core/support/check.h"
#include "tests/property/generator/random_body.h"

namespace isoshard::testing {

/// Calls a new function once or twice.
bool BodyGrower::call() {
  const std::vector<ValueId> operands = dice_.some(recent());
  std::vector<ValueType> types;
  for (const ValueId id : operands) types.push_back(type(id));
  BodyGrower function(module_, dice_, options_, mesh_, "f" + std::to_string(functions_++), ProgramKind::function);
  for (const ValueType& argument_type : types) function.argument(argument_type);
  function.grow(4);
  const ProgramId callee = function.finish();
  for (int64_t times = dice_.in(1, 2); times > 0; --times) {
    std::vector<std::string> names(module_.program(callee).body().results.size());
    for (std::string& name : names) name = fresh_name();
    for (const ValueId id : builder_.append(Call{callee}, operands, std::move(names))) values_.push_back(id);
  }
  return true;
}

/// Carries some values and slices some of one length; now and then a zero, which takes the state of the body.
bool BodyGrower::scan() {
  if (open_scans_ == 2) return false;
  ScanOperands operands;
  operands.trips = dice_.in(0, 4);
  const ValueId lead = any();
  if (!shape(lead).empty() && shape(lead)[0] <= 5 && dice_.chance(80)) operands.trips = shape(lead)[0];
  for (const ValueId id : dice_.some(recent())) {
    const bool sliceable = !shape(id).empty() && shape(id)[0] == *operands.trips;
    (sliceable && dice_.chance(60) ? operands.stacked : operands.initial).push_back(id);
  }
  if (!shape(lead).empty() && shape(lead)[0] == *operands.trips) operands.stacked.push_back(lead);
  std::vector<bool> zero(operands.initial.size(), false);
  if (dice_.chance(50)) {
    TensorType like = type(any()).tensor;
    if (!operands.stacked.empty() && dice_.chance(70)) like = Scan::slice(type(operands.stacked[0]).tensor);
    operands.initial.push_back(must(Constant{Rational(0), like.dtype, like.shape}, {}));
    zero.push_back(true);
  }
  operands.with_index = options_.integers && dice_.chance(40);
  const Dice before = dice_;
  const size_t programs = module_.programs.size(), functions = functions_;
  const ScanBody body = [&](const ScanArguments& arguments, bool) {
    // Built again when states have changed, a body is the same one, and what the first one called is gone with it.
    dice_ = before;
    functions_ = functions;
    module_.programs.erase(module_.programs.begin() + static_cast<std::ptrdiff_t>(programs), module_.programs.end());
    return scan_body(arguments, zero, *operands.trips);
  };
  for (const ValueId id : builder_.scan(operands, body)) {
    ISOSHARD_CHECK(id.valid(), "the Builder rejects a scan");
    values_.push_back(id);
  }
  return true;
}

/// A few ops on the arguments other than zeros, whose states may not be known yet; names start again.
ScanYield BodyGrower::scan_body(const ScanArguments& arguments, const std::vector<bool>& zero, int64_t trips) {
  const std::vector<ValueId> outside = std::exchange(values_, {});
  const std::vector<PaddedValue> outside_padded = std::exchange(padded_, {});
  const size_t names = std::exchange(names_, 0);
  ++open_scans_;
  for (size_t c = 0; c < arguments.carries.size(); ++c) {
    if (!zero[c]) values_.push_back(arguments.carries[c]);
  }
  values_.insert(values_.end(), arguments.slices.begin(), arguments.slices.end());
  if (arguments.index.valid()) values_.push_back(arguments.index);
  for (int64_t i = values_.empty() ? 0 : dice_.in(1, 5); i > 0; --i) step();
  ScanYield yield;
  for (size_t c = 0; c < arguments.carries.size(); ++c) {
    const ValueId carry = arguments.carries[c];
    yield.carries.push_back(zero[c] ? next_zero(carry) : next_carry(carry));
  }
  for (const ValueId id : values_.empty() ? values_ : dice_.some(recent())) {
    if (element_count(shape(id)) * trips <= options_.max_elements) yield.stacked.push_back(id);
  }
  if (yield.carries.empty() && yield.stacked.empty()) yield.stacked.push_back(recent().back());
  yield.location = Location::here();
  --open_scans_;
  names_ = names;
  values_ = outside;
  padded_ = outside_padded;
  return yield;
}

/// A value of the type and states of `carry`.
ValueId BodyGrower::next_carry(ValueId carry) {
  std::vector<ValueId> fitting{carry};
  for (const ValueId id : values_) {
    if (type(id).tensor == type(carry).tensor && type(id).states == type(carry).states) fitting.push_back(id);
  }
  return dice_.chance(20) ? carry : fitting.back();
}

/// A sum of a carry that starts at zero and the last value of its type; once the carry has a state, in that state.
ValueId BodyGrower::next_zero(ValueId zero) {
  const States none(mesh_->axis_count(), State::equal);
  for (size_t i = values_.size(); i-- > 0;) {
    const ValueId term = values_[i];
    if (!(type(term).tensor == type(zero).tensor) || !is_numeric(type(zero).tensor.dtype)) continue;
    if (type(zero).states != none && type(zero).states != type(term).states) continue;
    return must(Add{}, {zero, term});
  }
  return zero;
}

}  // namespace isoshard::testing
