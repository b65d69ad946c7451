// Maxima, minima and absolute values by cases: a variable says which operand is the larger one, so that what holds in
// both cases holds. A tie needs no case of its own: there both operands are the maximum, and either case says so.
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "sim/domains/soft/soft_domain.h"

namespace isoshard::sim {
namespace {

constexpr uint64_t kLarger = uint64_t{1} << 35;

}  // namespace

/// The variable that says whether a number is positive, 1, or its negative is, 0; nothing for 0.
std::optional<SoftDomain::Case> SoftDomain::case_of(const std::vector<uint64_t>& difference) const {
  std::vector<uint64_t> opposite;
  for (size_t l = 0; l < difference.size(); ++l) opposite.push_back(integers_.field(l).negate(difference[l]));
  if (opposite == difference) return std::nullopt;
  const bool flipped = opposite < difference;
  const std::array<int64_t, 2> both{0, 1};
  return Case{integers_.variable(integers_.name(kLarger, flipped ? opposite : difference), both), flipped};
}

/// Element i of `out` is that of x in this case, and that of y in the other one.
void SoftDomain::choose_by_case(const Case& x_it_is, const FloatPair& pair, int64_t i, std::byte* out) const {
  std::vector<std::byte> table(2 * floats_.element_bytes(pair.dtype));
  floats_.move(pair.dtype, pair.n, x_it_is.flipped ? pair.x : pair.y, i, 2, 0, table.data());
  floats_.move(pair.dtype, pair.n, x_it_is.flipped ? pair.y : pair.x, i, 2, 1, table.data());
  keep(std::move(table), integers_.variables_of(x_it_is.variable), pair.dtype, pair.n, i, out);
}

/// The elements that `decided`, what the ring makes of x and y, leaves open: it is neither of them, and they have no
/// tables.
void SoftDomain::choose_by_cases(const FloatPair& pair, std::byte* decided) const {
  std::vector<std::byte> differences(floats_.element_bytes(pair.dtype) * static_cast<size_t>(pair.n));
  const bool maximum = pair.extreme == Extreme::maximum;
  ring_->binary(BinaryOp::subtract, pair.dtype, pair.n, maximum ? pair.x : pair.y, maximum ? pair.y : pair.x,
                differences.data());
  for (int64_t i = 0; i < pair.n; ++i) {
    if (table_of(pair.dtype, pair.n, pair.x, i) != 0 || table_of(pair.dtype, pair.n, pair.y, i) != 0) continue;
    const std::vector<uint64_t> result = residues_of(pair.n, decided, i);
    if (result == residues_of(pair.n, pair.x, i) || result == residues_of(pair.n, pair.y, i)) continue;
    const std::optional<Case> x_it_is = case_of(element_of(pair.n, differences.data(), i));
    if (x_it_is) choose_by_case(*x_it_is, pair, i, decided);
  }
}

}  // namespace isoshard::sim
