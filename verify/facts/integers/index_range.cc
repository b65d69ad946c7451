// Which integers and limits a program knows of: how many rows its look-ups have, how many blocks and devices split
// something, which constants it holds, and with which floats it compares. Integers at these numbers, and beside them,
// are where indexing goes wrong, so that draws and tables of integers are made to hold them. Float constants are
// followed through broadcasts and conversions up to a comparison; lists are limited. Both programs' facts are joined.
// Cost: one pass over the plan.
#include "verify/facts/integers/index_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/support/rational_gmp.h"
#include "verify/facts/is_one_of.h"

namespace isoshard::verify {
namespace {

/// Also of floats: a step counter becomes one before it is compared with the end of a schedule.
constexpr int64_t kMostWhole = int64_t{1} << 32;

int64_t largest(const Shape& shape) { return shape.empty() ? 0 : *std::max_element(shape.begin(), shape.end()); }

/// What one op looks up or counts; `x` is its first operand's shape, if it has one.
int64_t range_of(const OpData& op, const Shape& x) {
  if (const Gather* gather = std::get_if<Gather>(&op)) return x[static_cast<size_t>(gather->dim)];
  if (const ScatterAdd* scatter = std::get_if<ScatterAdd>(&op)) return x[static_cast<size_t>(scatter->dim)];
  if (std::holds_alternative<DynamicSlice>(op) || std::holds_alternative<DynamicUpdateSlice>(op)) return largest(x);
  const Iota* iota = std::get_if<Iota>(&op);
  return iota != nullptr && is_integer(iota->dtype) ? iota->shape[static_cast<size_t>(iota->dim)] : 0;
}

void add_split(int64_t count, IndexRange& range) {
  if (count > 1) range.splits.insert(count);
}

/// The float constants that comparisons, maxima and minima see, spread or converted perhaps.
class FloatLimits {
 public:
  FloatLimits(const Plan& plan, IndexRange& range) : range_(range), constants_(plan.values.size()) {}

  void look_at(const OpData& op, const Instruction& i) {
    if (const Constant* constant = std::get_if<Constant>(&op)) {
      const bool is_limit = is_float(constant->dtype) && constant->value.finite();
      if (is_limit) constants_[i.results[0].index()] = constant->value.to_double();
    } else if (is_one_of<BroadcastInDim, Reshape, Convert, Slice, StopGradient>(op)) {
      constants_[i.results[0].index()] = constants_[i.operands[0].index()];
    } else if (is_one_of<Compare, Maximum, Minimum>(op)) {
      for (const PlanValueId operand : i.operands) add(constants_[operand.index()]);
    }
  }

 private:
  void add(const std::optional<double>& limit) {
    const bool telling = limit && *limit != 0 && std::abs(*limit) != 1;
    if (telling && range_.limits.size() < IndexRange::kMostNumbers) range_.limits.insert(*limit);
  }

  IndexRange& range_;
  std::vector<std::optional<double>> constants_;  ///< per value
};

void add_number(const OpData& op, IndexRange& range) {
  const Constant* constant = std::get_if<Constant>(&op);
  if (constant == nullptr || !constant->value.finite() || range.numbers.size() == IndexRange::kMostNumbers) return;
  if (!constant->value.is_integer()) return;
  const mpz_class& number = to_mpq(constant->value).get_num();
  if (constant->dtype == DType::u64) range.numbers.insert(static_cast<int64_t>(number.get_ui()));
  if (abs(number) <= kMostWhole) range.numbers.insert(number.get_si());
}

}  // namespace

void IndexRange::merge(const IndexRange& other) {
  size = std::max(size, other.size);
  splits.insert(other.splits.begin(), other.splits.end());
  numbers.insert(other.numbers.begin(), other.numbers.end());
  limits.insert(other.limits.begin(), other.limits.end());
}

IndexRange index_range(const Plan& plan) {
  IndexRange range;
  FloatLimits limits(plan, range);
  for (const MeshAxis& axis : plan.mesh->axes()) add_split(axis.size, range);
  for (const Instruction& i : plan.instructions) {
    const Shape first = i.operands.empty() ? Shape() : plan.value(i.operands[0]).type().shape;
    if (const LocalOp* local = std::get_if<LocalOp>(&i.data())) {
      range.size = std::max(range.size, range_of(local->op, first));
      add_number(local->op, range);
      limits.look_at(local->op, i);
    }
    if (const LoadBlock* load = std::get_if<LoadBlock>(&i.data())) {
      for (const int64_t count : load->count) add_split(count, range);
    }
  }
  return range;
}

std::set<int64_t> turning_numbers(DType dtype) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kGreatest = std::numeric_limits<int64_t>::max();
  if (dtype == DType::i8) return {-128, 127};
  if (dtype == DType::u8) return {127, 128, 255};
  return dtype == DType::u64 ? std::set<int64_t>{kGreatest, kLeast, -1} : std::set<int64_t>{};
}

}  // namespace isoshard::verify
