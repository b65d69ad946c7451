#include "bench/open_blas.h"

#include <dlfcn.h>

#include <cstdlib>

#include "sim/kernels/isa.h"

namespace isoshard::bench {
namespace {

constexpr int kRowMajor = 101, kNoTranspose = 111;  // of cblas.h

/// Has it take the kernels that suit this processor: a preset name may halve its speed, and a processor that is newer
/// than the library gets those of 2004.
void choose_kernels() {
  if (sim::isa_supported(sim::Isa::avx512)) {
    setenv("OPENBLAS_CORETYPE", "SkylakeX", 1);
  } else if (sim::isa_supported(sim::Isa::avx2)) {
    setenv("OPENBLAS_CORETYPE", "Haswell", 1);
  } else {
    unsetenv("OPENBLAS_CORETYPE");
  }
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

template <class T, class Gemm>
void row_major_product(Gemm gemm, std::int64_t m, std::int64_t n, std::int64_t k, const T* a, const T* b, T* c) {
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), inner = static_cast<int>(k);
  gemm(kRowMajor, kNoTranspose, kNoTranspose, rows, columns, inner, T(1), a, inner, b, columns, T(0), c, columns);
}

}  // namespace

OpenBlas::OpenBlas() {
  choose_kernels();
  unsetenv("OPENBLAS_NUM_THREADS");
  void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  find(library, "cblas_sgemm", sgemm_);
  find(library, "cblas_dgemm", dgemm_);
  find(library, "openblas_set_num_threads", set_threads_);
  find(library, "openblas_get_config", config_);
  find(library, "openblas_get_corename", core_);
}

std::string OpenBlas::description() const {
  std::string words = config_ == nullptr ? "OpenBLAS" : config_();
  words = words.substr(0, words.find(' ', words.find(' ') + 1));  // its name and version
  return core_ == nullptr ? words : words + ", " + core_();
}

void OpenBlas::product(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, float* c) const {
  row_major_product(sgemm_, m, n, k, a, b, c);
}

void OpenBlas::product(std::int64_t m, std::int64_t n, std::int64_t k, const double* a, const double* b,
                       double* c) const {
  row_major_product(dgemm_, m, n, k, a, b, c);
}

}  // namespace isoshard::bench
