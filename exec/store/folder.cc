// Files of a store in a folder. A file is written under another name and then renamed, so that who sees it sees all of
// it. That a process lives is a lock (flock) that the system takes back when it ends, however that is. Cost: four
// system calls a frame.
#include "exec/store/folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

namespace isoshard::exec {
namespace {

tl::unexpected<Failure> cannot_write(const std::string& path) {
  const int error = errno;
  unlink((path + ".tmp").c_str());
  return tl::unexpected(
      Failure{Failure::Kind::failed, path + " cannot be written: " + std::strerror(error) +
                                         "; expected a folder with room for what ranks send (ISOSHARD_STORE)"});
}

bool write_all_of(int descriptor, const std::vector<std::byte>& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t count = write(descriptor, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

bool read_all_of(int descriptor, std::vector<std::byte>& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t count = read(descriptor, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

}  // namespace

Presence::~Presence() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool Presence::take(const std::string& path) {
  descriptor_ = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor_ < 0) return false;
  constexpr int kTries = 100;  // of those who only look each keeps it for an instant
  for (int i = 0; i < kTries; ++i) {
    if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return true;
    usleep(5000);
  }
  return false;
}

bool is_present(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool locked = flock(descriptor, LOCK_SH | LOCK_NB) != 0;
  close(descriptor);
  return locked;
}

Outcome<> write_frame(const std::string& path, const Frame& frame) {
  const std::string temporary = path + ".tmp";
  const int descriptor = open(temporary.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) return cannot_write(path);
  std::vector<std::byte> bytes;
  append_wire(frame, bytes);
  const bool written = write_all_of(descriptor, bytes);
  const int error = errno;
  const bool closed = close(descriptor) == 0;  // where some file systems say that they are full
  if (!written) errno = error;
  if (!written || !closed || std::rename(temporary.c_str(), path.c_str()) != 0) return cannot_write(path);
  return {};
}

std::optional<Frame> take_frame(const std::string& path, size_t most) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  struct stat status {};
  Frame frame;
  if (fstat(descriptor, &status) == 0 && status.st_size >= static_cast<off_t>(kFrameHeader) &&
      status.st_size <= static_cast<off_t>(kFrameHeader + most)) {
    std::vector<std::byte> bytes(static_cast<size_t>(status.st_size));
    const bool whole = read_all_of(descriptor, bytes) && body_length(bytes) == bytes.size() - kFrameHeader;
    if (whole) frame = Frame{static_cast<char>(bytes[4]), {bytes.begin() + kFrameHeader, bytes.end()}};
  }
  close(descriptor);
  unlink(path.c_str());
  return frame;
}

}  // namespace isoshard::exec
