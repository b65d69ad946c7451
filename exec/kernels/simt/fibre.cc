// Turns between two stacks. On x86-64 a turn saves six registers and the stack pointer and takes those of the other
// side, which is a few nanoseconds; elsewhere ucontext does it, with a system call for the mask of signals. Rounding
// modes are not saved, since kernels leave them alone. A stack has a page below that nobody may touch, so that one that
// is too deep ends the program rather than writes into its neighbour. Sanitizers follow a stack pointer by its range,
// so each turn is announced before and after; ThreadSanitizer keeps a fibre of its own for each.
#include "exec/kernels/simt/fibre.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ISOSHARD_FIBRE_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define ISOSHARD_FIBRE_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ISOSHARD_FIBRE_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define ISOSHARD_FIBRE_TSAN 1
#endif
#if defined(ISOSHARD_FIBRE_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(ISOSHARD_FIBRE_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

#if defined(__x86_64__)
extern "C" __attribute__((visibility("hidden"))) void isoshard_switch_stacks(void** saved, void* other);
asm(R"(
  .pushsection .text
  .type isoshard_switch_stacks, @function
isoshard_switch_stacks:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size isoshard_switch_stacks, .-isoshard_switch_stacks
  .popsection
)");
#endif

namespace isoshard::exec {
namespace {

constexpr size_t kGuardBytes = 4096, kStackBytes = 64 * 1024;

}  // namespace

struct Fibre::State {
  Body body;
  void* argument;
  std::byte* mapped;  ///< a guard, and the stack behind it
#if defined(__x86_64__)
  void* own = nullptr;    ///< the stack pointer of the fibre while it waits
  void* other = nullptr;  ///< that of whoever resumed it
#else
  ucontext_t own{}, other{};
#endif
#if defined(ISOSHARD_FIBRE_ASAN)
  void* own_fake = nullptr;
  void* other_fake = nullptr;
  const void* other_stack = nullptr;
  size_t other_bytes = 0;
#endif
#if defined(ISOSHARD_FIBRE_TSAN)
  void* own_thread = __tsan_create_fiber(0);
  void* other_thread = nullptr;
#endif

  std::byte* stack() const { return mapped + kGuardBytes; }
};

#if defined(__x86_64__)
namespace {

/// The fibre that begins, for its first turn.
thread_local void* beginning = nullptr;

}  // namespace
#endif

void Fibre::enter(State* state) {
#if defined(ISOSHARD_FIBRE_ASAN)
  __sanitizer_finish_switch_fiber(nullptr, &state->other_stack, &state->other_bytes);
#endif
  state->body(state->argument);
}

Fibre::Fibre(Body body, void* argument) : state_(new State{body, argument, nullptr}) {
  void* const mapped = mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED || mprotect(mapped, kGuardBytes, PROT_NONE) != 0) throw std::bad_alloc();
  state_->mapped = static_cast<std::byte*>(mapped);
#if defined(__x86_64__)
  // As behind a call of the entry: a return address, and below what isoshard_switch_stacks() takes.
  constexpr int kSavedRegisters = 6;
  void** top = reinterpret_cast<void**>(state_->stack() + kStackBytes);
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(+[] { enter(static_cast<State*>(beginning)); });
  state_->own = top - kSavedRegisters;
#else
  getcontext(&state_->own);
  state_->own.uc_stack.ss_sp = state_->stack();
  state_->own.uc_stack.ss_size = kStackBytes;
  const auto address = reinterpret_cast<uintptr_t>(state_.get());
  makecontext(&state_->own, reinterpret_cast<void (*)()>(+[](unsigned high, unsigned low) {
    enter(reinterpret_cast<State*>(static_cast<uintptr_t>(high) << 32 | low));
  }),
              2, static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
#endif
}

Fibre::~Fibre() {
#if defined(ISOSHARD_FIBRE_TSAN)
  __tsan_destroy_fiber(state_->own_thread);
#endif
#if defined(ISOSHARD_FIBRE_ASAN)
  __asan_unpoison_memory_region(state_->stack(), kStackBytes);
#endif
  munmap(state_->mapped, kGuardBytes + kStackBytes);
}

void Fibre::resume() {
  State& state = *state_;
#if defined(ISOSHARD_FIBRE_ASAN)
  __sanitizer_start_switch_fiber(&state.other_fake, state.stack(), kStackBytes);
#endif
#if defined(ISOSHARD_FIBRE_TSAN)
  state.other_thread = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(state.own_thread, 0);
#endif
#if defined(__x86_64__)
  beginning = &state;
  isoshard_switch_stacks(&state.other, state.own);
#else
  swapcontext(&state.other, &state.own);
#endif
#if defined(ISOSHARD_FIBRE_ASAN)
  __sanitizer_finish_switch_fiber(state.other_fake, nullptr, nullptr);
#endif
}

void Fibre::pause() {
  State& state = *state_;
#if defined(ISOSHARD_FIBRE_ASAN)
  __sanitizer_start_switch_fiber(&state.own_fake, state.other_stack, state.other_bytes);
#endif
#if defined(ISOSHARD_FIBRE_TSAN)
  __tsan_switch_to_fiber(state.other_thread, 0);
#endif
#if defined(__x86_64__)
  isoshard_switch_stacks(&state.own, state.other);
#else
  swapcontext(&state.own, &state.other);
#endif
#if defined(ISOSHARD_FIBRE_ASAN)
  __sanitizer_finish_switch_fiber(state.own_fake, &state.other_stack, &state.other_bytes);
#endif
}

}  // namespace isoshard::exec
