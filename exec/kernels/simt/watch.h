#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "exec/kernels/simt/crew.h"

namespace isoshard::exec {

/// Watches what kernels of the calling OS thread access in memory of the device, where they are compiled with
/// ISOSHARD_WATCHED: nothing but arrays that were told, and nothing that another thread of the same kernel writes,
/// unless both are in one block and a barrier lies in between, or one of lanes of their warp. A kernel goes on when it
/// does wrong.
class Watch {
 public:
  /// That of the calling OS thread, which watches nothing before arrays are told.
  static Watch& get();

  /// Forgets arrays and findings.
  void clear();
  void tell(const std::byte* begin, int64_t bytes, std::string name);
  /// Another kernel begins, after all before.
  void begin_kernel() { ++kernel_; }
  void access(const std::byte* begin, int64_t bytes, bool writes);
  /// What was wrong first, or nothing.
  const std::string& finding() const { return finding_; }

 private:
  struct Access {
    int64_t kernel = 0, thread = 0, barrier = 0;
    Meeting meeting{};
  };
  struct Byte {
    Access write{}, read{};
    bool has_more_readers = false;   ///< than one, since the barrier of `read`
    unsigned readers = 0;            ///< lanes of the warp of `read` that read since that barrier
    bool other_warps_read = false;   ///< since that barrier
    bool other_blocks_read = false;  ///< in the kernel of `read`
  };
  struct Array {
    const std::byte* begin;
    std::string name;
    std::vector<Byte> bytes;
  };

  static bool conflict(const Access& a, const Access& b);
  static bool have_met(const Access& a, unsigned lanes, const Access& b);
  static bool conflicts_with_reads(const Byte& byte, const Access& now);
  static void note_read(Byte& byte, const Access& now);
  void found(const std::string& text);

  std::vector<Array> arrays_;
  int64_t kernel_ = 0;
  std::string finding_;
};

}  // namespace isoshard::exec
