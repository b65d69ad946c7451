#pragma once

#include <cstdint>

namespace isoshard {

/// In which precision a sum of bf16 or f16 over devices is made: in f32 and rounded once (`f32`, also when
/// unspecified), or in the dtype, rounded after every add (`native`), as NCCL does
/// (docs/adr/0054-precision-of-collectives.md).
enum class SumPrecision : uint8_t { unspecified, f32, native };

}  // namespace isoshard
