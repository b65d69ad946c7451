#include "verify/watches/use_words.h"

namespace isoshard::verify {

std::string use_in_words(const Side& side, const PartialUse& use) {
  const Instruction& i = side.plan.instruction(use.use);
  return side.name(use.arguments[0].value) + " " + std::string(in_words(use.arguments[0].needs)) + " (" + i.op() +
         " at " + i.location().to_string() + ")";
}

}  // namespace isoshard::verify
