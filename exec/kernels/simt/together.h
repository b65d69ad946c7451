#pragma once

#include <bit>
#include <cstring>
#include <string>
#include <type_traits>

#include "exec/kernels/simt/crew.h"
#include "exec/kernels/simt/grid.h"

/// What the threads of a block do together where a CPU runs them; simt.h has the same for GPUs.
namespace isoshard::exec {

inline int thread_in_block() { return Crew::get().thread(); }

/// All threads of the block come here before any goes on.
inline void sync_threads(Site site = Site::here()) { Crew::get().wait(site); }

/// These lanes of the warp come here before any goes on, and see what the others wrote; a lane is always in the same
/// group of them.
inline void sync_lanes(unsigned lanes, Site site = Site::here()) { Crew::get().meet(lanes, site); }

/// x of the lane whose number differs in `bits`; all lanes of the warp that `lanes` has bits of come here.
template <class T>
T exchange(unsigned lanes, T x, int bits, Site site = Site::here()) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  const int source = (Crew::get().thread() ^ bits) % 32;
  return std::bit_cast<T>(static_cast<Bits>(Crew::get().exchange(lanes, std::bit_cast<Bits>(x), source, site)));
}

/// An array that the threads of a block share. Each access is watched (shared_memory.h).
template <class T>
class SharedArray {
 public:
  class Element {
   public:
    Element(SharedElements& array, int64_t i) : array_(array), i_(i) {}
    operator T() const {
      check(reading(array_, i_, Crew::get().thread(), Crew::get().barrier()));
      T x;
      std::memcpy(&x, array_.bytes.data() + i_ * static_cast<int64_t>(sizeof x), sizeof x);
      return x;
    }
    Element& operator=(T x) {
      check(writing(array_, i_, Crew::get().thread(), Crew::get().barrier()));
      std::memcpy(array_.bytes.data() + i_ * static_cast<int64_t>(sizeof x), &x, sizeof x);
      return *this;
    }
    Element& operator=(const Element& other) { return *this = static_cast<T>(other); }

   private:
    static void check(std::string wrong) {
      if (!wrong.empty()) Crew::get().fail(std::move(wrong));
    }
    SharedElements& array_;
    int64_t i_;
  };

  SharedArray(int line, int64_t count) : array_(&Crew::get().shared().declare(line, count, sizeof(T))) {}
  Element operator[](int64_t i) const { return {*array_, i}; }

 private:
  SharedElements* array_;
};

/// So many numbers of a thread, in shared memory.
template <class T>
class ThreadStore {
 public:
  explicit ThreadStore(int count, int line = __builtin_LINE()) : all_(line, int64_t{count} * kThreads) {}
  T get(int i) const { return all_[at(i)]; }
  void put(int i, T x) const { all_[at(i)] = x; }

 private:
  static int64_t at(int i) { return int64_t{i} * kThreads + Crew::get().thread(); }
  SharedArray<T> all_;
};

}  // namespace isoshard::exec
