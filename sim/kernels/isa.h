#pragma once

#include <cstdint>

/// Marks a function compiled for AVX2 and FMA whatever the flags of the build; defined only where the compiler can.
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define ISOSHARD_HAVE_AVX2 1
#define ISOSHARD_TARGET_AVX2 __attribute__((target("avx2,fma")))
#define ISOSHARD_AVX2_INLINE ISOSHARD_TARGET_AVX2 inline __attribute__((always_inline))
#else
#define ISOSHARD_HAVE_AVX2 0
#define ISOSHARD_TARGET_AVX2
#endif

/// The same for AVX-512 with its doubleword, byte and 256-bit forms, which processors with it have had since 2017.
#if ISOSHARD_HAVE_AVX2
#define ISOSHARD_HAVE_AVX512 1
#define ISOSHARD_TARGET_AVX512 __attribute__((target("avx2,fma,avx512f,avx512dq,avx512bw,avx512vl")))
#define ISOSHARD_AVX512_INLINE ISOSHARD_TARGET_AVX512 inline __attribute__((always_inline))
#else
#define ISOSHARD_HAVE_AVX512 0
#define ISOSHARD_TARGET_AVX512
#endif

/// Says that the iterations of the next loop are independent; true of loops whose output is, or does not overlap, an
/// input. Empty with clang, whose own check at run time does (its pragma warns in builds that do not vectorise).
#if defined(__GNUC__) && !defined(__clang__)
#define ISOSHARD_INDEPENDENT_LOOP _Pragma("GCC ivdep")
#else
#define ISOSHARD_INDEPENDENT_LOOP
#endif

namespace isoshard::sim {

/// Sizes, places and distances of elements, in kernels.
using Index = std::int64_t;

/// Instruction sets for which kernels exist; every kernel gives the same bits on each of them.
/// The kernels rely on gradual underflow: no code of isoshard ever sets flush-to-zero or denormals-are-zero.
enum class Isa : std::uint8_t {
  scalar,  ///< portable C++; std::fma where a fused multiply-add is meant
  avx2,    ///< AVX2 and FMA on x86-64
  avx512,  ///< AVX-512 F, DQ, BW and VL on x86-64, and all that avx2 needs
};

/// The lower-case name of `isa`: "scalar", "avx2", "avx512".
const char* isa_name(Isa isa);

/// Whether this build and this processor can run kernels of `isa`.
bool isa_supported(Isa isa);

/// The fastest supported instruction set, or the one a live ScopedIsa demands.
Isa best_isa();

/// Makes best_isa() answer `isa` in all threads while it lives; for tests and benchmarks. `isa` must be supported.
/// Scopes must nest: they are created and destroyed by one thread, last in, first out.
class ScopedIsa {
 public:
  explicit ScopedIsa(Isa isa);
  ~ScopedIsa();
  ScopedIsa(const ScopedIsa&) = delete;
  ScopedIsa& operator=(const ScopedIsa&) = delete;

 private:
  int previous_;
};

}  // namespace isoshard::sim
