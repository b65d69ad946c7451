// Messages over a pair of sockets: a length, then so many bytes. Sockets, because both ends notice when the other is
// gone, however its process ended, and because one socket can carry another (SCM_RIGHTS): so each thread of a process
// gets a connection of its own, without an address that would stay behind. Cost: two system calls a message.
#include "tests/standin/remote/channel.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace standin {
namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

/// A socket with which `use` can do something at a path.
template <class Use>
Channel socket_at(const std::string& path, const Use& use) {
  Channel made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = address_of(path);
  const bool good = path.size() < sizeof address.sun_path && made.is_open() &&
                    use(made.descriptor(), reinterpret_cast<const sockaddr*>(&address));
  return good ? std::move(made) : Channel();
}

}  // namespace

Channel::~Channel() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool Channel::send(std::span<const std::byte> message) const {
  uint64_t length = message.size();
  iovec parts[] = {{&length, sizeof length}, {const_cast<std::byte*>(message.data()), message.size()}};
  msghdr header{};
  header.msg_iov = parts;
  header.msg_iovlen = 2;
  for (size_t left = sizeof length + message.size(); left > 0;) {
    const ssize_t sent = sendmsg(descriptor_, &header, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    left -= static_cast<size_t>(sent);
    auto step = static_cast<size_t>(sent);
    for (iovec& part : parts) {
      const size_t taken = std::min(step, part.iov_len);
      part.iov_base = static_cast<char*>(part.iov_base) + taken;
      part.iov_len -= taken;
      step -= taken;
    }
  }
  return true;
}

bool Channel::read_all(void* to, size_t bytes) const {
  for (size_t done = 0; done < bytes;) {
    const ssize_t got = recv(descriptor_, static_cast<char*>(to) + done, bytes - done, MSG_WAITALL);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

bool Channel::receive(std::vector<std::byte>& message) const {
  uint64_t length = 0;
  if (!read_all(&length, sizeof length)) return false;
  message.resize(length);
  return read_all(message.data(), message.size());
}

void Channel::set_patience(int seconds) const {
  const timeval patience{seconds, 0};
  setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

bool Channel::send_channel(const Channel& given) const {
  char word = 'c';
  iovec part{&word, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  cmsghdr* const rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(rights), &given.descriptor_, sizeof(int));
  ssize_t sent = 0;
  do {
    sent = sendmsg(descriptor_, &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == 1;
}

Channel Channel::receive_channel() const {
  char word = 0;
  iovec part{&word, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  ssize_t got = 0;
  do {
    got = recvmsg(descriptor_, &header, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  const cmsghdr* const rights = got == 1 ? CMSG_FIRSTHDR(&header) : nullptr;
  if (rights == nullptr || rights->cmsg_type != SCM_RIGHTS) return Channel();
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(rights), sizeof descriptor);
  return Channel(descriptor);
}

std::pair<Channel, Channel> connected_channels() {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return {Channel(), Channel()};
  return {Channel(ends[0]), Channel(ends[1])};
}

bool Channel::is_listener() const {
  int listens = 0;
  socklen_t size = sizeof listens;
  return getsockopt(descriptor_, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens != 0;
}

Channel Channel::accept() const { return Channel(accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC)); }

Channel listener_at(const std::string& path) {
  return socket_at(path, [](int descriptor, const sockaddr* address) {
    return bind(descriptor, address, sizeof(sockaddr_un)) == 0 && listen(descriptor, SOMAXCONN) == 0;
  });
}

Channel connected_to(const std::string& path) {
  return socket_at(path, [](int descriptor, const sockaddr* address) {
    return connect(descriptor, address, sizeof(sockaddr_un)) == 0;
  });
}

}  // namespace standin
