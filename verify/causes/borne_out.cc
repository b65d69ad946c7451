// Holds the factor that explains a value against those of the outputs. Outputs that are no multiple of the reference's
// say nothing about it; one that is a multiple has its number from the factor, or from what divides by it, or the
// factor is made good on the way and the mistake is another one. Where no output is one, it is tried. Cost: a trial.
#include "verify/causes/borne_out.h"

#include <algorithm>

#include "verify/causes/verified.h"

namespace isoshard::verify {

bool contains_factor(const Ratio& whole, const Ratio& part) {
  const int64_t n = whole.numerator * part.denominator, d = whole.denominator * part.numerator;
  return part.numerator > part.denominator ? d != 0 && n % d == 0 : n != 0 && d % n == 0;
}

std::optional<Explanation> borne_out(const Evidence& e, const Trial& trial, std::optional<Explanation> explanation) {
  if (!explanation || !explanation->factor) return explanation;
  const Ratio& factor = *explanation->factor;
  if (e.ratios.empty()) {
    const bool mended = !explanation->value.valid() || factor_is_all(e, trial, explanation->value, factor);
    return mended ? explanation : std::nullopt;
  }
  const bool borne = std::any_of(e.ratios.begin(), e.ratios.end(), [&](const auto& output) {
    const Ratio inverse{output.second.denominator, output.second.numerator};
    return contains_factor(output.second, factor) || contains_factor(inverse, factor);
  });
  return borne ? explanation : std::nullopt;
}

}  // namespace isoshard::verify
