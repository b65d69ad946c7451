#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "exec/kernels/simt/grid.h"
#include "exec/kernels/simt/in_library.h"
#include "exec/kernels/simt/together.h"
#if defined(ISOSHARD_WATCHED)
#include "exec/kernels/simt/trial.h"
#include "exec/kernels/simt/watch.h"
#endif

/// The same on a CPU. A launch hands to its stream a loop over all threads, where each of them works alone, or an
/// emulator of blocks (crew.h), where they wait for each other. With ISOSHARD_WATCHED a CPU also looks for
/// races and for accesses outside of arrays (watch.h), and tests may move bounds.
#define ISOSHARD_DEVICE_APART inline
#define ISOSHARD_KERNEL void
#define ISOSHARD_WIDE_KERNEL void
#define ISOSHARD_GIVEN(Type) const Type&
#define ISOSHARD_UNROLL
#define ISOSHARD_SHARED(Type, name, count) const isoshard::exec::SharedArray<Type> name(__LINE__, count)

typedef struct CUstream_st* cudaStream_t;
/// Does `run(work)` on the stream, after all that it was given before, with a copy of the bytes of `work`, since the
/// device may be in another process: a kernel, which is told `given`. The stand-in for CUDA on the CPU has it.
void standin_launch(cudaStream_t stream, void (*run)(const void* work), const void* work, size_t bytes,
                    const void* given, size_t given_bytes);

namespace isoshard::exec {

inline int64_t thread_number() { return this_thread.number; }
inline int64_t thread_count() { return this_thread.count; }

#if defined(ISOSHARD_WATCHED)
inline bool below(int64_t i, int64_t bound, Site site = Site::here()) {
  trial().bounds.insert(site);
  return i < bound + (trial().bound_too_far == site ? 1 : 0);
}
inline void note_access(const std::byte* begin, int64_t bytes, bool writes) {
  Watch::get().access(begin, bytes, writes);
}
inline void begin_kernel() { Watch::get().begin_kernel(); }
#else
inline bool below(int64_t i, int64_t bound) { return i < bound; }
inline void note_access(const std::byte*, int64_t, bool) {}
inline void begin_kernel() {}
#endif

/// Does `work`, a function whose bytes are all that it needs, on the stream.
template <class Work, class Call>
void launch_work(cudaStream_t stream, const Work& work, const Call& call) {
  static_assert(std::is_trivially_copyable_v<Work> && alignof(Work) <= alignof(std::max_align_t));
  const auto run = [](const void* bytes) { (*static_cast<const Work*>(bytes))(); };
  standin_launch(stream, run, &work, sizeof work, &call, sizeof call);
}

template <class... Parameters, class Call, class... Arguments>
void start(void (*kernel)(Parameters...), Grid grid, cudaStream_t stream, const Call& call,
           const Arguments&... arguments) {
  const auto all_threads = [kernel = InLibrary(kernel), grid, call, arguments...] {
    begin_kernel();
    const int64_t count = int64_t{grid.blocks} * kThreads;
    for (int64_t i = 0; i < count; ++i) {
      this_thread = ThreadPlace{i, count};
      kernel.get()(call, arguments...);
    }
  };
  launch_work(stream, all_threads, call);
}

template <class... Parameters, class Call, class... Arguments>
void start_together(const char* name, void (*kernel)(Parameters...), Grid grid, cudaStream_t stream, const Call& call,
                    const Arguments&... arguments) {
  const auto all_blocks = [name = InLibrary(name), kernel = InLibrary(kernel), grid, call, arguments...] {
    begin_kernel();
    run_together(name.get(), grid.blocks, [&] { kernel.get()(call, arguments...); });
  };
  launch_work(stream, all_blocks, call);
}

template <class T, unsigned kMany>
class Slots {
 public:
  T& at(int slot, int i) { return kept_[static_cast<unsigned>(slot)][static_cast<unsigned>(i)]; }

 private:
  static constexpr int kMost = 4;
  T kept_[kMost][kMany];
};

}  // namespace isoshard::exec
