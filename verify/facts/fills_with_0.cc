// What devices have that no operand made. A permute leaves a hole where some device is sent nothing; a ring has none.
// Cost: the devices, for each permute.
#include "verify/facts/fills_with_0.h"

#include <variant>

#include "verify/facts/is_one_of.h"

namespace isoshard::verify {
namespace {

bool has_hole(const Plan& plan, const Permute& permute) {
  for (int64_t position = 0; position < plan.mesh->device_count(); ++position) {
    if (permute.source.evaluate(*plan.mesh, position, {}) < 0) return true;
  }
  return false;
}

}  // namespace

bool fills_with_0(const Plan& plan, const Instruction& instruction) {
  if (const Permute* permute = std::get_if<Permute>(&instruction.data())) return has_hole(plan, *permute);
  return std::holds_alternative<PutBlock>(instruction.data()) || std::holds_alternative<KeepOn>(instruction.data()) ||
         is_one_of<Pad>(local_op(instruction));
}

}  // namespace isoshard::verify
