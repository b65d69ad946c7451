#pragma once

#include <cstdint>
#include <string>

namespace isoshard::bench {

/// OpenBLAS where the machine has it, loaded when it is asked for: isoshard itself does not use it.
class OpenBlas {
 public:
  /// With its fastest kernels for this processor, whatever OPENBLAS_CORETYPE says.
  OpenBlas();
  OpenBlas(const OpenBlas&) = delete;
  OpenBlas& operator=(const OpenBlas&) = delete;

  bool found() const { return sgemm_ != nullptr && dgemm_ != nullptr && set_threads_ != nullptr; }
  /// Its version and the kernels that it chose.
  std::string description() const;
  void use_threads(int threads) const { set_threads_(threads); }
  /// C[m,n] = A[m,k] B[k,n], row-major without gaps.
  void product(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, float* c) const;
  void product(std::int64_t m, std::int64_t n, std::int64_t k, const double* a, const double* b, double* c) const;

 private:
  template <class T>
  using Gemm = void (*)(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);

  Gemm<float> sgemm_ = nullptr;
  Gemm<double> dgemm_ = nullptr;
  void (*set_threads_)(int) = nullptr;
  char* (*config_)() = nullptr;
  char* (*core_)() = nullptr;
};

/// What a row says where OpenBLAS is missing.
inline constexpr const char* kNoOpenBlas = "not measured: no OpenBLAS here (apt-get install libopenblas0-pthread)";

}  // namespace isoshard::bench
