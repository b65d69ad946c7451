#include "core/plan/renames.h"

#include "core/value/dtype.h"

namespace isoshard {

bool only_renames(const Instruction& instruction) {
  const LocalOp* local = std::get_if<LocalOp>(&instruction.data());
  return local != nullptr &&
         (std::holds_alternative<Reshape>(local->op) || std::holds_alternative<StopGradient>(local->op));
}

double bytes_of(const TensorType& type) {
  double bytes = static_cast<double>(info(type.dtype).bytes);
  for (const int64_t size : type.shape) bytes *= static_cast<double>(size);
  return bytes;
}

}  // namespace isoshard
