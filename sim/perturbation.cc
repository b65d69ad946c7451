#include "sim/perturbation.h"

#include <cstring>
#include <utility>

#include "core/support/check.h"
#include "sim/new_value.h"

namespace isoshard::sim {

Value perturbed(const Value& x, int64_t element, const Value& delta, const Domain& domain) {
  ISOSHARD_CHECK(is_float(x.type.dtype) && element < x.size() && delta.size() == 1, "an element of a float value");
  const size_t bytes = x.storage.element_bytes;
  NewValue one(delta.type, delta.storage), result(x.type, x.storage);
  std::memcpy(result.data.get(), x.data.get(), x.bytes());
  const auto at = [&](size_t plane) { return result.plane(plane) + static_cast<size_t>(element) * bytes; };
  for (size_t p = 0; p < x.storage.planes; ++p) std::memcpy(one.plane(p), at(p), bytes);
  domain.binary(BinaryOp::add, x.type.dtype, 1, one.data.get(), delta.data.get(), one.data.get());
  for (size_t p = 0; p < x.storage.planes; ++p) std::memcpy(at(p), one.plane(p), bytes);
  return std::move(result).finish();
}

}  // namespace isoshard::sim
