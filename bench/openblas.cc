#include "bench/openblas.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "sim/kernels/isa.h"

namespace isoshard::bench {
namespace {

constexpr int kRowMajor = 101, kAsItIs = 111;  // of the C interface of BLAS

template <typename Function>
bool find_symbol(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

const OpenBlas* OpenBlas::loaded(std::string& why) {
#ifdef ISOSHARD_OPENBLAS
  static OpenBlas blas;
  if (blas.sgemm_ != nullptr) return &blas;
  const bool avx512 = sim::isa_supported(sim::Isa::avx512);
  if (sim::isa_supported(sim::Isa::avx2)) setenv("OPENBLAS_CORETYPE", avx512 ? "SkylakeX" : "Haswell", 1);
  void* const library = dlopen(ISOSHARD_OPENBLAS, RTLD_NOW | RTLD_LOCAL);
  void (*set_threads)(int) = nullptr;
  if (library != nullptr && find_symbol(library, "openblas_set_num_threads", set_threads) &&
      find_symbol(library, "openblas_get_corename", blas.core_) && find_symbol(library, "cblas_dgemm", blas.dgemm_) &&
      find_symbol(library, "cblas_sgemm", blas.sgemm_)) {
    set_threads(1);
    return &blas;
  }
  why = "OpenBLAS does not load from " ISOSHARD_OPENBLAS;
#else
  why = "no OpenBLAS when this was configured (Debian: libopenblas-dev)";
#endif
  return nullptr;
}

void OpenBlas::multiply(int m, int n, int k, const float* a, const float* b, float* c) const {
  sgemm_(kRowMajor, kAsItIs, kAsItIs, m, n, k, 1, a, k, b, n, 0, c, n);
}
void OpenBlas::multiply(int m, int n, int k, const double* a, const double* b, double* c) const {
  dgemm_(kRowMajor, kAsItIs, kAsItIs, m, n, k, 1, a, k, b, n, 0, c, n);
}
const char* OpenBlas::core() const { return core_(); }

}  // namespace isoshard::bench
