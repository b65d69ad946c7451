#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace isoshard::exec {

/// An array that the threads of a block share, and who accessed its elements since the last barrier.
struct SharedElements {
  /// When and by whom an element was last accessed; barriers are counted from 1, 0 is never.
  struct Accessed {
    int64_t written_at = 0, read_at = 0;
    int writer = 0, reader = 0;
    bool has_more_readers = false;  ///< than one at `read_at`
  };
  int line = 0;  ///< of its declaration, which names it
  size_t element_bytes = 0;
  std::vector<std::byte> bytes{};
  std::vector<Accessed> accessed{};
};

/// The shared memory of a block, and the rules of its use: between two barriers no thread accesses what another one
/// writes, and nothing is read before it is written.
class SharedMemory {
 public:
  /// Forgets all: another block.
  void clear() { arrays_.clear(); }
  /// The array that is declared at this line.
  SharedElements& declare(int line, int64_t count, size_t element_bytes);

 private:
  std::deque<SharedElements> arrays_;
};

/// Thread `thread` reads or writes element i behind the barrier of that number. What is wrong with it, or nothing.
std::string reading(SharedElements& array, int64_t i, int thread, int64_t barrier);
std::string writing(SharedElements& array, int64_t i, int thread, int64_t barrier);

}  // namespace isoshard::exec
