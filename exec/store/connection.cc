// Frames over a socket that does not block. Cost: two copies of each frame beside those of the system.
#include "exec/store/connection.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace isoshard::exec {
namespace {

/// Lets the system find out that the other machine is gone, in half a minute.
void keep_alive(int descriptor) {
  const auto set = [&](int level, int name, int value) { setsockopt(descriptor, level, name, &value, sizeof value); };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30000);
  set(IPPROTO_TCP, TCP_NODELAY, 1);
}

}  // namespace

Connection::Connection(int descriptor) : descriptor_(descriptor) {
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  keep_alive(descriptor);
}

Connection::~Connection() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

short Connection::events() const { return static_cast<short>(has_unsent() ? POLLIN | POLLOUT : POLLIN); }

void Connection::add(const Frame& frame) { append_wire(frame, left_); }

bool Connection::send_some() {
  while (has_unsent()) {
    const ssize_t sent = send(descriptor_, left_.data() + gone_, left_.size() - gone_, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    gone_ += static_cast<size_t>(sent);
  }
  left_.clear();
  gone_ = 0;
  return true;
}

/// At most what fills a frame, so that nobody fills the memory.
bool Connection::receive_some() {
  std::array<std::byte, 1 << 16> bytes;
  while (come_.size() < kFrameHeader + kMostOfFrame) {
    const ssize_t got = recv(descriptor_, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    if (got == 0) return false;
    come_.insert(come_.end(), bytes.begin(), bytes.begin() + got);
  }
  return true;
}

bool Connection::exchange() {
  const bool sent = send_some();
  return receive_some() && sent;
}

Connection::Next Connection::next(size_t most, Frame& frame) {
  if (come_.size() < kFrameHeader) return Next::none;
  const size_t length = body_length(come_);
  if (length > most) return Next::too_long;
  if (come_.size() < kFrameHeader + length) return Next::none;
  const auto body = come_.begin() + kFrameHeader, end = body + static_cast<std::ptrdiff_t>(length);
  frame.kind = static_cast<char>(come_[4]);
  frame.body.assign(body, end);
  come_.erase(come_.begin(), end);
  return Next::frame;
}

}  // namespace isoshard::exec
