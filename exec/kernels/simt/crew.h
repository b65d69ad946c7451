#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "exec/kernels/simt/fibre.h"
#include "exec/kernels/simt/shared_memory.h"
#include "exec/kernels/simt/site.h"

/// The kernel that runs did what no kernel may; nothing that its rank does from here on succeeds. The stand-in for CUDA
/// on the CPU has it.
void standin_kernel_failed(const std::string& what);

namespace isoshard::exec {

/// Which thread a CPU is at.
struct ThreadPlace {
  int64_t number = 0, count = 0;
};
inline thread_local ThreadPlace this_thread;

/// The lanes that a thread has met last, and how many times it has met lanes.
struct Meeting {
  unsigned lanes = 0;
  int64_t count = 0;
};

/// The threads of a block that work together, as fibres of one OS thread. Blocks come one after another.
class Crew {
 public:
  /// That which the calling OS thread runs a kernel with, or null.
  static Crew*& current();
  static Crew& get() { return *current(); }

  /// Runs `thread` as each thread of so many blocks. What was wrong in the first block that could not go on; empty
  /// where all ended.
  std::string run(unsigned blocks, const std::function<void()>& thread);

  // What the threads call.

  /// Waits for all threads of the block to come to the same place.
  void wait(Site site);
  /// Waits for these lanes of the warp to come to the same place; the bits that lane `source` brought there.
  uint64_t exchange(unsigned lanes, uint64_t bits, int source, Site site);
  /// Waits for these lanes of the warp to come to the same place.
  void meet(unsigned lanes, Site site);
  SharedMemory& shared() { return shared_; }
  int thread() const { return current_; }
  int64_t barrier() const { return barrier_; }
  /// How often the thread has met lanes in its block, and which the last time.
  Meeting meeting() const { return workers_[static_cast<size_t>(current_)].meeting; }
  /// Ends the kernel.
  [[noreturn]] void fail(std::string what);

 private:
  enum class Doing : uint8_t { runs, waits_for_all, waits_for_lanes, done };
  struct Worker {
    std::unique_ptr<Fibre> fibre{};
    Doing doing = Doing::done;
    Site site{};
    unsigned lanes = 0;
    uint64_t bits = 0, received = 0;
    int source = 0;
    Meeting meeting{};
  };

  static void live(void* crew);
  bool run_block(int64_t first, int64_t count);
  bool take_turns(int64_t first, int64_t count);
  void turn(int thread, int64_t first, int64_t count);
  bool open_barrier();
  std::string why_stuck() const;
  bool all_lanes_there(int warp, unsigned lanes, Site site) const;
  void pause(Doing doing, Site site);

  std::vector<Worker> workers_;
  std::vector<int> order_;
  const std::function<void()>* body_ = nullptr;
  SharedMemory shared_;
  std::string failure_;
  int current_ = 0;
  int64_t barrier_ = 1;
  std::mt19937_64 random_;
};

/// Runs the blocks of a kernel of that name; standin_kernel_failed() is told what is wrong, with the name.
void run_together(const char* kernel, unsigned blocks, const std::function<void()>& thread);

}  // namespace isoshard::exec
