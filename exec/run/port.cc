// Words of one byte over a pair of sockets. Sockets, because both ends notice when the other is gone, whether a thread
// returned or a process was killed, and because one poll() waits for all ranks with a deadline: a barrier in shared
// memory could do neither. The bytes that are shared beside them are ordered by the system calls. Cost: two system
// calls a word, some microseconds beside steps of milliseconds; never inside of what a rank measures.
#include "exec/run/port.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

namespace isoshard::exec {

void Port::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void Port::say(Word word) const {
  const char byte = static_cast<char>(word);
  while (send(descriptor_, &byte, 1, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

std::optional<Word> Port::hear() const {
  char byte = 0;
  ssize_t count = 0;
  do {
    count = recv(descriptor_, &byte, 1, 0);
  } while (count < 0 && errno == EINTR);
  return count == 1 ? std::optional(static_cast<Word>(byte)) : std::nullopt;
}

std::pair<Port, Port> connected_ports() {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return {Port(), Port()};
  return {Port(ends[0]), Port(ends[1])};
}

std::vector<size_t> wait_for(std::span<const Port* const> ports, double seconds) {
  std::vector<pollfd> polled;
  for (const Port* port : ports) polled.push_back(pollfd{port->descriptor(), POLLIN, 0});
  const auto milliseconds = static_cast<int>(std::ceil(std::clamp(seconds, 0.0, 1e6) * 1e3));
  std::vector<size_t> ready;
  if (poll(polled.data(), polled.size(), milliseconds) <= 0) return ready;
  for (size_t i = 0; i < polled.size(); ++i) {
    if (polled[i].revents != 0) ready.push_back(i);
  }
  return ready;
}

}  // namespace isoshard::exec
