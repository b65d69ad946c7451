#include "sim/kernels/isa.h"

#include <atomic>

#include "core/support/check.h"

namespace isoshard::sim {
namespace {

constexpr int kNoOverride = -1;
std::atomic<int> override_isa{kNoOverride};

Isa detect() {
  if (isa_supported(Isa::avx512)) return Isa::avx512;
  return isa_supported(Isa::avx2) ? Isa::avx2 : Isa::scalar;
}

}  // namespace

const char* isa_name(Isa isa) {
  if (isa == Isa::avx512) return "avx512";
  return isa == Isa::avx2 ? "avx2" : "scalar";
}

bool isa_supported(Isa isa) {
  if (isa == Isa::scalar) return true;
#if ISOSHARD_HAVE_AVX2
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (isa == Isa::avx2) return avx2;
  return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

Isa best_isa() {
  static const Isa detected = detect();
  const int forced = override_isa.load(std::memory_order_relaxed);
  return forced == kNoOverride ? detected : static_cast<Isa>(forced);
}

ScopedIsa::ScopedIsa(Isa isa) {
  ISOSHARD_CHECK(isa_supported(isa), "an instruction set was forced that this processor lacks");
  previous_ = override_isa.exchange(static_cast<int>(isa));
}

ScopedIsa::~ScopedIsa() { override_isa.store(previous_); }

}  // namespace isoshard::sim
