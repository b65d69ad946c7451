// Memory of devices, which is that of the host between guards. New memory is 0xFF, a NaN in every float, so that what
// was not written shows; what is freed is filled again and kept, so that later writes to it are found, up to a bound.
// Copies run when the scheduler has them run, so a source that the host changed before is copied changed, as in CUDA
// from pinned memory.
#include "tests/standin/memory.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <new>

#include "tests/standin/calls.h"
#include "tests/standin/streams.h"

namespace standin {
namespace {

constexpr size_t kGuard = 256;
constexpr unsigned char kGuardByte = 0xFB, kNewByte = 0xFF, kFreedByte = 0xFE;
constexpr size_t kKept = size_t{64} << 20;  ///< bytes of freed memory

struct Aligned {
  void operator()(unsigned char* bytes) const { ::operator delete[](bytes, std::align_val_t(kGuard)); }
};

struct Allocation {
  int device = 0;  ///< -1: of the host
  int number = 0;  ///< of those of its device
  size_t bytes = 0;
  bool freed = false;
  bool reported = false;
  std::unique_ptr<unsigned char[], Aligned> block;  ///< with guards
  unsigned char* data() const { return block.get() + kGuard; }
};

struct Memory {
  std::map<const unsigned char*, Allocation> allocations;
  std::deque<const unsigned char*> freed;
  size_t freed_bytes = 0;
  std::map<int, size_t> used;  ///< by device
  std::map<int, int> made;     ///< by device
};

Memory& all_memory() {
  static auto* all = new Memory;
  return *all;
}

/// The allocation whose data or guards hold this byte, or null.
Allocation* around(const void* place) {
  const auto* byte = static_cast<const unsigned char*>(place);
  auto next = all_memory().allocations.upper_bound(byte + kGuard);
  if (next == all_memory().allocations.begin()) return nullptr;
  Allocation& found = std::prev(next)->second;
  return byte < found.data() + found.bytes + kGuard ? &found : nullptr;
}

std::string name_of(const Allocation& memory) {
  const std::string whose = memory.device < 0 ? "the host" : "rank " + std::to_string(memory.device);
  return "an allocation of " + std::to_string(memory.bytes) + " bytes of " + whose;
}

bool all_are(const unsigned char* begin, size_t bytes, unsigned char value) {
  return std::all_of(begin, begin + bytes, [&](unsigned char byte) { return byte == value; });
}

void check(Allocation& memory) {
  if (memory.reported) return;
  const unsigned char* const data = memory.data();
  std::string what;
  if (!all_are(memory.block.get(), kGuard, kGuardByte)) what = "written before the begin of ";
  if (!all_are(data + memory.bytes, kGuard, kGuardByte)) what = "written over the end of ";
  if (memory.freed && !all_are(data, memory.bytes, kFreedByte)) what = "written after the free of ";
  if (what.empty()) return;
  memory.reported = true;
  Machine::get().problem(what + name_of(memory));
}

void forget_old() {
  Memory& all = all_memory();
  while (all.freed_bytes > kKept) {
    const auto oldest = all.allocations.find(all.freed.front());
    check(oldest->second);
    all.freed_bytes -= oldest->second.bytes;
    all.allocations.erase(oldest);
    all.freed.pop_front();
  }
}

/// Why these bytes are not accessible to a device, or nothing.
std::string wrong_with(int device, const void* begin, size_t bytes) {
  const Allocation* const memory = around(begin);
  if (memory == nullptr || memory->device < 0) return "outside of any allocation";
  if (memory->freed) return "of " + name_of(*memory) + " that was freed";
  if (memory->device != device) return "of " + name_of(*memory);
  const auto* const byte = static_cast<const unsigned char*>(begin);
  if (byte < memory->data() || bytes > memory->bytes || byte > memory->data() + (memory->bytes - bytes)) {
    return "at " + std::to_string(byte - memory->data()) + " in " + name_of(*memory);
  }
  return "";
}

}  // namespace

std::string name_of_place(const void* place) {
  const Allocation* const memory = around(place);
  if (memory == nullptr) return "none";
  const auto offset = static_cast<const unsigned char*>(place) - memory->data();
  return "m" + std::to_string(memory->number) + "+" + std::to_string(offset);
}

cudaError_t allocate(int device, void** pointer, size_t bytes) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  size_t& used = all_memory().used[device];
  const auto limit = static_cast<size_t>(Machine::get().options().device_bytes);
  if (device >= 0 && (bytes > limit || used > limit - bytes)) return cudaErrorMemoryAllocation;
  auto* const block =
      static_cast<unsigned char*>(::operator new[](bytes + 2 * kGuard, std::align_val_t(kGuard), std::nothrow));
  if (block == nullptr) return cudaErrorMemoryAllocation;
  std::memset(block, kGuardByte, bytes + 2 * kGuard);
  std::memset(block + kGuard, kNewByte, bytes);
  used += bytes;
  Allocation made{device, ++all_memory().made[device], bytes, false, false, nullptr};
  made.block.reset(block);
  *pointer = made.data();
  all_memory().allocations.emplace(made.data(), std::move(made));
  return cudaSuccess;
}

cudaError_t give_back(bool host, void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  const auto found = all_memory().allocations.find(static_cast<unsigned char*>(pointer));
  if (found == all_memory().allocations.end() || found->second.freed || (found->second.device < 0) != host) {
    Machine::get().problem("rank " + std::to_string(current_device()) + ": a free of what is not allocated");
    return cudaErrorInvalidValue;
  }
  Allocation& memory = found->second;
  check(memory);
  memory.freed = true;
  std::memset(memory.data(), kFreedByte, memory.bytes);
  all_memory().used[memory.device] -= memory.bytes;
  all_memory().freed.push_back(memory.data());
  all_memory().freed_bytes += memory.bytes;
  forget_old();
  return cudaSuccess;
}

bool host_accessible(int rank, const void* begin, const std::string& who) {
  const Allocation* const memory = around(begin);
  if (memory == nullptr || (memory->device < 0 && !memory->freed)) return true;
  Machine::get().problem(who + ": an address of the host is " +
                         (memory->device < 0 ? "freed" : "in " + name_of(*memory)));
  broken(rank) = cudaErrorIllegalAddress;
  return false;
}

bool accessible(int device, const void* begin, size_t bytes, const std::string& who) {
  if (bytes == 0) return true;
  const std::string wrong = wrong_with(device, begin, bytes);
  if (wrong.empty()) return true;
  Machine::get().problem(who + " " + std::to_string(bytes) + " bytes " + wrong);
  broken(device) = cudaErrorIllegalAddress;
  return false;
}

bool on_device(const void* begin) {
  const Allocation* const memory = around(begin);
  return memory != nullptr && memory->device >= 0;
}

void check_guards() {
  for (auto& [data, memory] : all_memory().allocations) check(memory);
}

size_t used_bytes(int device) { return all_memory().used[device]; }

void reset_memory() { all_memory() = Memory(); }

}  // namespace standin
