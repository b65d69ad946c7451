#pragma once  // internal

#include <optional>
#include <string>

#include "exec/backend.h"
#include "exec/store/frame.h"

namespace isoshard::exec {

/// A file that is there, and locked, as long as this process lives.
class Presence {
 public:
  Presence() = default;
  Presence(const Presence&) = delete;
  Presence& operator=(const Presence&) = delete;
  ~Presence();
  /// Makes it and locks it; false where another process has it.
  bool take(const std::string& path);
  /// Leaves it locked to the end of the process.
  void release() { descriptor_ = -1; }

 private:
  int descriptor_ = -1;
};

/// Whether a process has that file.
bool is_present(const std::string& path);

/// Writes a frame as a file, which is there as a whole or not at all; what the system says where it cannot be.
Outcome<> write_frame(const std::string& path, const Frame& frame);

/// Reads and removes a frame: none where there is none yet, an empty one of kind 0 where it is no frame with a body of
/// at most `most` bytes.
std::optional<Frame> take_frame(const std::string& path, size_t most);

}  // namespace isoshard::exec
