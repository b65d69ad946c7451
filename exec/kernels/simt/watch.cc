// Races of kernels in memory of the device, byte by byte: the last write, and of the reads as much as says whether a
// write conflicts with any of them. Threads of one block are ordered by barriers, lanes of a warp also where they met,
// those of two blocks by nothing, no matter in which order a CPU runs them. Cost: a few comparisons per byte that is
// accessed.
#include "exec/kernels/simt/watch.h"

#include <utility>

#include "exec/kernels/simt/crew.h"
#include "exec/kernels/simt/grid.h"

namespace isoshard::exec {
namespace {

int64_t block_of(int64_t thread) { return thread / kThreads; }
int64_t warp_of(int64_t thread) { return thread / kWarp; }
unsigned lane_bit(int64_t thread) { return 1U << (thread % kWarp); }

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
  if (block_of(a.thread) != block_of(b.thread)) return true;
  return a.barrier == b.barrier && !have_met(a, lane_bit(a.thread), b);
}

/// Whether these lanes of the warp of `a` met the thread of `b` behind `a` and before `b`.
bool Watch::have_met(const Access& a, unsigned lanes, const Access& b) {
  if (warp_of(a.thread) != warp_of(b.thread) || a.meeting.count >= b.meeting.count) return false;
  return (lanes & ~b.meeting.lanes) == 0;
}

bool Watch::conflicts_with_reads(const Byte& byte, const Access& now) {
  if (byte.read.kernel != now.kernel) return false;
  if (byte.other_blocks_read || conflict(byte.read, now)) return true;
  if (!byte.has_more_readers || byte.read.barrier != now.barrier) return false;
  return byte.other_warps_read || !have_met(byte.read, byte.readers, now);
}

void Watch::note_read(Byte& byte, const Access& now) {
  const Access last = std::exchange(byte.read, now);
  if (last.kernel != now.kernel) {
    byte.has_more_readers = byte.other_blocks_read = byte.other_warps_read = false;
    byte.readers = 0;
  } else if (block_of(last.thread) != block_of(now.thread)) {
    byte.has_more_readers = byte.other_warps_read = false, byte.other_blocks_read = true;
    byte.readers = 0;
  } else {
    const bool same_time = last.barrier == now.barrier, same_warp = warp_of(last.thread) == warp_of(now.thread);
    byte.has_more_readers = same_time && (byte.has_more_readers || last.thread != now.thread);
    byte.other_warps_read = same_time && (byte.other_warps_read || !same_warp);
    if (!same_time || !same_warp) byte.readers = 0;
  }
  byte.readers |= lane_bit(now.thread);
}

void Watch::access(const std::byte* begin, int64_t bytes, bool writes) {
  if (arrays_.empty()) return;
  const Crew* const crew = Crew::current();
  const Access now{kernel_, this_thread.number, crew != nullptr ? crew->barrier() : 0,
                   crew != nullptr ? crew->meeting() : Meeting()};
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
