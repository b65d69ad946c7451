#include "verify/answers/assumptions.h"

#include "verify/answers/words.h"

namespace isoshard::verify {

void Assumptions::add(const Assumptions& of_run) {
  for (const auto texts :
       {&Assumptions::masks, &Assumptions::opaque, &Assumptions::one_sided, &Assumptions::conditions}) {
    for (const std::string& text : of_run.*texts) add_once(text, this->*texts);
  }
}

std::string Assumptions::narrow_dtypes() const {
  return floats_of_8_bits ? "bf16, f16, f8e4m3 and f8e5m2" : "bf16 and f16";
}

}  // namespace isoshard::verify
