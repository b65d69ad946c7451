// Races of kernels in memory of the device, byte by byte: the last write, and of the reads as much as says whether a
// write conflicts with any of them. Threads of one block are ordered by barriers, those of two blocks by nothing, no
// matter in which order a CPU runs them. Cost: a few comparisons per byte that is accessed.
#include "exec/kernels/simt/watch.h"

#include <utility>

#include "exec/kernels/simt/crew.h"
#include "exec/kernels/simt/grid.h"

namespace isoshard::exec {
namespace {

int64_t block_of(int64_t thread) { return thread / kThreads; }

std::string thread_text(int64_t thread) {
  return "thread " + std::to_string(thread % kThreads) + " of block " + std::to_string(block_of(thread));
}

}  // namespace

Watch& Watch::get() {
  thread_local Watch watch;
  return watch;
}

void Watch::clear() { *this = Watch(); }

void Watch::tell(const std::byte* begin, int64_t bytes, std::string name) {
  arrays_.push_back({begin, std::move(name), std::vector<Byte>(static_cast<size_t>(bytes))});
}

void Watch::found(const std::string& text) {
  if (finding_.empty()) finding_ = text;
}

bool Watch::conflict(const Access& a, const Access& b) {
  if (a.kernel != b.kernel || a.thread == b.thread) return false;
  return block_of(a.thread) != block_of(b.thread) || a.barrier == b.barrier;
}

bool Watch::conflicts_with_reads(const Byte& byte, const Access& now) {
  if (byte.read.kernel != now.kernel) return false;
  return byte.other_blocks_read || conflict(byte.read, now) ||
         (byte.has_more_readers && byte.read.barrier == now.barrier);
}

void Watch::note_read(Byte& byte, const Access& now) {
  const Access last = std::exchange(byte.read, now);
  if (last.kernel != now.kernel) {
    byte.has_more_readers = byte.other_blocks_read = false;
  } else if (block_of(last.thread) != block_of(now.thread)) {
    byte.has_more_readers = false, byte.other_blocks_read = true;
  } else {
    const bool same_time = last.barrier == now.barrier;
    byte.has_more_readers = same_time && (byte.has_more_readers || last.thread != now.thread);
  }
}

void Watch::access(const std::byte* begin, int64_t bytes, bool writes) {
  if (arrays_.empty()) return;
  const Crew* const crew = Crew::current();
  const Access now{kernel_, this_thread.number, crew != nullptr ? crew->barrier() : 0};
  for (Array& array : arrays_) {
    const int64_t first = begin - array.begin;
    if (first < 0 || first + bytes > static_cast<int64_t>(array.bytes.size())) continue;
    for (int64_t i = first; i < first + bytes; ++i) {
      Byte& byte = array.bytes[static_cast<size_t>(i)];
      const bool is_race = conflict(byte.write, now) || (writes && conflicts_with_reads(byte, now));
      if (is_race) {
        const int64_t other = conflict(byte.write, now) ? byte.write.thread : byte.read.thread;
        found("a race: byte " + std::to_string(i) + " of " + array.name + ", " + thread_text(now.thread) + " and " +
              thread_text(other));
      }
      if (writes) {
        byte.write = now;
      } else {
        note_read(byte, now);
      }
    }
    return;
  }
  found(thread_text(now.thread) + (writes ? " writes " : " reads ") + std::to_string(bytes) +
        " bytes outside of all arrays");
}

}  // namespace isoshard::exec
