#pragma once

#include <cstdint>
#include <string>

namespace isoshard::bench {

/// The products of OpenBLAS on one thread, to compare with: row-major C = A · B without gaps.
///
/// It is loaded on first use, since it reads OPENBLAS_CORETYPE while it loads: OpenBLAS takes a processor that is newer
/// than itself for one without AVX, so the newest core type that the processor can run is demanded of it.
class OpenBlas {
 public:
  /// The library, or nullptr where the build found none or it does not load; `why` then says so.
  static const OpenBlas* loaded(std::string& why);

  void multiply(int m, int n, int k, const float* a, const float* b, float* c) const;
  void multiply(int m, int n, int k, const double* a, const double* b, double* c) const;
  /// Whose kernels OpenBLAS runs: "SkylakeX".
  const char* core() const;

 private:
  template <typename T>
  using Gemm = void (*)(int order, int turn_a, int turn_b, int m, int n, int k, T alpha, const T* a, int lda,
                        const T* b, int ldb, T beta, T* c, int ldc);

  OpenBlas() = default;

  Gemm<float> sgemm_ = nullptr;
  Gemm<double> dgemm_ = nullptr;
  const char* (*core_)() = nullptr;
};

}  // namespace isoshard::bench
