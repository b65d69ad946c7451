#include "verify/answers/assumptions.h"

#include "verify/answers/words.h"

namespace isoshard::verify {

void Assumptions::add(const Assumptions& of_run) {
  for (const auto texts :
       {&Assumptions::masks, &Assumptions::opaque, &Assumptions::one_sided, &Assumptions::conditions}) {
    for (const std::string& text : of_run.*texts) add_once(text, this->*texts);
  }
}

}  // namespace isoshard::verify
