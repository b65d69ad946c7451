#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <tl/expected.hpp>

namespace isoshard {

/// Writes `bytes` to `path` and never leaves a half-written file; the error is the system's reason.
///
/// A new or regular file is written under a temporary name in the same directory and renamed into place (it keeps the
/// permissions of the file it replaces, and a symbolic link stays a link). Devices and pipes are written directly.
/// Programs that want an error instead of a signal for RLIMIT_FSIZE and closed pipes ignore SIGXFSZ and SIGPIPE.
tl::expected<void, std::string> write_file(const std::string& path, std::span<const std::byte> bytes);

/// Removes the temporary file of the write_file() that began last, if it is going on; for handlers of signals that end
/// the process.
void remove_unfinished_file() noexcept;

}  // namespace isoshard
