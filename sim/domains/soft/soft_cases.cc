// Maxima, minima and absolute values by cases: a variable says which operand is the larger one, so that what holds in
// both cases holds. A tie needs no case of its own: there both operands are the maximum, and either case says so.
#include "sim/domains/soft/soft_cases.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace isoshard::sim {
namespace {

constexpr uint64_t kLarger = uint64_t{1} << 35;

/// Whether a number is positive: where the variable is 1, or where it is 0 if flipped.
struct Case {
  SoftIntegers::Word variable;
  bool flipped;
};

/// The variable that says whether a number is positive, 1, or its negative is, 0; nothing for 0.
std::optional<Case> case_of(SoftIntegers& integers, const std::vector<uint64_t>& difference) {
  std::vector<uint64_t> opposite;
  for (size_t l = 0; l < difference.size(); ++l) opposite.push_back(integers.field(l).negate(difference[l]));
  if (opposite == difference) return std::nullopt;
  const bool flipped = opposite < difference;
  const std::array<int64_t, 2> both{0, 1};
  return Case{integers.variable(integers.name(kLarger, flipped ? opposite : difference), both), flipped};
}

/// Element i of `out` is that of x in this case, and that of y in the other one.
void choose_by_case(const SoftFloatArrays& arrays, const Case& x_it_is, const SoftPair& pair, int64_t i,
                    std::byte* out) {
  std::vector<std::byte> table(2 * arrays.floats().element_bytes(pair.dtype));
  arrays.floats().move(pair.dtype, pair.n, x_it_is.flipped ? pair.x : pair.y, i, 2, 0, table.data());
  arrays.floats().move(pair.dtype, pair.n, x_it_is.flipped ? pair.y : pair.x, i, 2, 1, table.data());
  arrays.keep(std::move(table), arrays.integers().partition_of(x_it_is.variable).value(), pair.dtype, pair.n, i, out);
}

}  // namespace

void choose_by_cases(const SoftFloatArrays& arrays, const SoftPair& pair, std::byte* decided) {
  std::vector<std::byte> differences(arrays.floats().element_bytes(pair.dtype) * static_cast<size_t>(pair.n));
  const bool maximum = pair.extreme == Extreme::maximum;
  arrays.ring().binary(BinaryOp::subtract, pair.dtype, pair.n, maximum ? pair.x : pair.y, maximum ? pair.y : pair.x,
                       differences.data());
  for (int64_t i = 0; i < pair.n; ++i) {
    if (arrays.table_of(pair.dtype, pair.n, pair.x, i) != 0 || arrays.table_of(pair.dtype, pair.n, pair.y, i) != 0)
      continue;
    const std::vector<uint64_t> result = arrays.residues_of(pair.n, decided, i);
    if (result == arrays.residues_of(pair.n, pair.x, i) || result == arrays.residues_of(pair.n, pair.y, i)) continue;
    const std::optional<Case> x_it_is = case_of(arrays.integers(), arrays.element_of(pair.n, differences.data(), i));
    if (x_it_is) choose_by_case(arrays, *x_it_is, pair, i, decided);
  }
}

}  // namespace isoshard::sim
