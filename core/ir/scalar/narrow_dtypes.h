#pragma once

#include "core/ir/scalar/narrow.h"
#include "core/support/check.h"
#include "core/support/rational.h"
#include "core/value/dtype.h"

namespace isoshard::scalar {

/// Calls `use` with the format of a narrow float dtype.
template <class Use>
auto with_narrow(DType dtype, const Use& use) -> decltype(use(Bf16{})) {
  switch (dtype) {
    case DType::bf16:
      return use(Bf16{});
    case DType::f16:
      return use(F16{});
    case DType::f8e4m3:
      return use(F8E4M3{});
    case DType::f8e5m2:
      return use(F8E5M2{});
    default:
      internal_error("dtype", "no narrow float", __FILE__, __LINE__);
  }
}

/// The number of a narrow float dtype nearest to a constant, rounded once, ties to even.
float nearest_narrow(DType dtype, const Rational& constant);

}  // namespace isoshard::scalar
