#include "sim/run/keep_memory.h"

#ifdef __GLIBC__
#include <malloc.h>

#include <thread>
#endif

namespace isoshard::sim {

// Arenas of further threads lie in heaps of 64 MiB that are given back as soon as nothing is in one, whatever is set
// here; few threads rarely wait for each other's malloc.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMebibyte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 64 * kMebibyte);  // larger arrays still come and go as pages
  mallopt(M_TRIM_THRESHOLD, 1024 * kMebibyte);
  constexpr unsigned kFewThreads = 8;
  if (std::thread::hardware_concurrency() <= kFewThreads) mallopt(M_ARENA_MAX, 1);
#endif
}

}  // namespace isoshard::sim
