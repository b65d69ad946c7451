// Writes a file so that at every moment either the old or the new one is there: a temporary file beside it is written
// in full and then renamed. It keeps the permissions of the old file and follows links; what is no regular file, as
// /dev/stdout, is written through. A signal handler can remove the temporary file, whose name it finds in a volatile
// pointer; signals are blocked for the moment between creating the file and noting its name. Errors of close count,
// since network file systems report a full disk there.
#include "core/support/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace isoshard {
namespace {

using Outcome = tl::expected<void, std::string>;

Outcome failed(int error) { return tl::unexpected<std::string>(std::generic_category().message(error)); }

/// Writes everything and closes `fd`; 0 or the errno, also that of close (network file systems report a full disk
/// there).
int write_and_close(int fd, std::span<const std::byte> bytes) {
  constexpr size_t kMost = size_t{1} << 30;  // Linux moves at most 2 GiB per call
  int error = 0;
  while (!bytes.empty() && error == 0) {
    const ssize_t count = ::write(fd, bytes.data(), std::min(bytes.size(), kMost));
    if (count >= 0) bytes = bytes.subspan(static_cast<size_t>(count));
    if (count < 0 && errno != EINTR) error = errno;
  }
  if (::close(fd) != 0 && error == 0 && errno != EINTR) error = errno;
  return error;
}

/// The name of the temporary file that exists now, for a signal handler (hence volatile); null when there is none.
const char* volatile unfinished = nullptr;

/// Signals wait while a file exists whose name the handler does not know.
int create_exclusively(const std::string& name) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  const int error = errno;
  if (fd >= 0) unfinished = name.c_str();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return fd;
}

/// Opens a file that did not exist in `directory`, with the permissions the umask gives; `name` becomes its path.
int create_temporary(const std::string& directory, std::string& name) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    name = directory + "/.isoshard-" + std::to_string(::getpid()) + "-" + std::to_string(attempt) + ".tmp";
    const int fd = create_exclusively(name);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

/// Forgets the temporary file, which was renamed or is removed here.
void finish_temporary(const std::string& temporary, bool renamed) {
  if (!renamed) ::unlink(temporary.c_str());
  unfinished = nullptr;
}

Outcome replace_file(const std::string& path, const struct stat* old, std::span<const std::byte> bytes) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  std::string temporary;
  const int fd = create_temporary(directory.empty() ? "." : directory, temporary);
  if (fd < 0) return failed(errno);
  int error = 0;
  if (old != nullptr && ::fchmod(fd, old->st_mode & 07777U) != 0) error = errno;
  const int write_error = write_and_close(fd, bytes);
  if (error == 0) error = write_error;
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  finish_temporary(temporary, error == 0);
  return error == 0 ? Outcome{} : failed(error);
}

Outcome write_through(const std::string& path, std::span<const std::byte> bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return failed(errno);
  const int error = write_and_close(fd, bytes);
  return error == 0 ? Outcome{} : failed(error);
}

}  // namespace

void remove_unfinished_file() noexcept {
  if (const char* name = unfinished) ::unlink(name);
}

tl::expected<void, std::string> write_file(const std::string& path, std::span<const std::byte> bytes) {
  if (path.empty()) return failed(ENOENT);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) return failed(errno);
    return replace_file(path, nullptr, bytes);
  }
  if (S_ISDIR(status.st_mode)) return failed(EISDIR);
  // A rename would replace a file the user may not write, and would turn a link or a device into a plain file.
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) return failed(errno);
  if (!S_ISREG(status.st_mode)) return write_through(path, bytes);
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  if (error) return failed(error.value());
  return replace_file(target.string(), &status, bytes);
}

}  // namespace isoshard
