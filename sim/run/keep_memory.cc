#include "sim/run/keep_memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace isoshard::sim {

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMebibyte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 64 * kMebibyte);  // larger arrays still come and go as pages
  mallopt(M_TRIM_THRESHOLD, 1024 * kMebibyte);
#endif
}

}  // namespace isoshard::sim
