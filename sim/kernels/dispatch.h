#pragma once  // internal

#include "sim/kernels/isa.h"

/// Loops that are written once, are inlined into one function per instruction set, and vectorised there by the
/// compiler. Private to kernels.
namespace isoshard::sim {

template <typename Loop, typename... Args>
void run_scalar(Args... args) {
  Loop::run(args...);
}

template <typename Loop, typename... Args>
ISOSHARD_TARGET_AVX2 void run_avx2(Args... args) {
  Loop::run(args...);
}

template <typename Loop, typename... Args>
ISOSHARD_TARGET_AVX512 void run_avx512(Args... args) {
  Loop::run(args...);
}

template <typename Loop, typename... Args>
void dispatch(Isa isa, Args... args) {
  if (isa == Isa::avx512) return run_avx512<Loop>(args...);
  if (isa == Isa::avx2) return run_avx2<Loop>(args...);
  run_scalar<Loop>(args...);
}

}  // namespace isoshard::sim
