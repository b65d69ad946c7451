// Floats whose last bits are cut off are no function of real numbers: x - t is 0 for almost no x, and a ring in which
// conversions are exact says that it is 0 for all. XLA's derivative of erfc has them to square x in two parts, where t
// cancels. All that reads t, and x - t, is looked at; anything else is for the caller to refuse. Cost: the operations
// of the region.
#include "core/import/stablehlo/idioms/short_floats.h"

#include <algorithm>
#include <string_view>

#include "core/import/stablehlo/text/uses.h"

namespace isoshard::stablehlo {
namespace {

class Square {
 public:
  Square(const Region& region, const Operation& cut) : region_(region), t_(cut.result) {
    const Operation* kept = definition(region, cut.operands[0].name);
    for (size_t i = 0; kept != nullptr && i < kept->operands.size(); ++i) {
      const Operation* bits = definition(region, kept->operands[i].name);
      if (bits != nullptr && bits->name == "stablehlo.bitcast_convert") x_ = bits->operands[0].name;
    }
  }

  bool holds() {
    if (x_.empty() || !all_of_uses(t_, [&](const Operation& op) { return is_part(op); })) return false;
    const auto is_product = [&](const Operation& op) {
      return is(op, "stablehlo.multiply", difference_, sum_) || is(op, "stablehlo.multiply", sum_, difference_);
    };
    return square_ && !sum_.empty() && !difference_.empty() && all_of_uses(difference_, is_product);
  }

 private:
  static bool is(const Operation& op, std::string_view name, std::string_view a, std::string_view b) {
    return op.name == name && op.operands.size() == 2 && op.operands[0].name == a && op.operands[1].name == b;
  }

  template <class Allowed>
  bool all_of_uses(std::string_view name, const Allowed& allowed) const {
    return std::all_of(region_.operations.begin(), region_.operations.end(),
                       [&](const Operation& op) { return uses_of(op, name) == 0 || allowed(op); });
  }

  bool is_part(const Operation& op) {
    if (is(op, "stablehlo.multiply", t_, t_)) return square_ = true;
    if (is(op, "stablehlo.subtract", x_, t_) && difference_.empty()) return !(difference_ = op.result).empty();
    const bool sum = is(op, "stablehlo.add", x_, t_) || is(op, "stablehlo.add", t_, x_);
    return sum && sum_.empty() && !(sum_ = op.result).empty();
  }

  const Region& region_;
  std::string_view t_, x_;
  std::string_view difference_, sum_;  ///< x - t and x + t
  bool square_ = false;                ///< t t is there
};

}  // namespace

bool only_splits_a_square(const Region& region, const Operation& cut) { return Square(region, cut).holds(); }

}  // namespace isoshard::stablehlo
