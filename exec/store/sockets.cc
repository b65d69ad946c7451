// Sockets of TCP by names and ports. Ranks come in any order, so that one which comes before rank 0 tries again until
// its time is over. The one that listens allows a port that was in use a moment ago (SO_REUSEADDR), but none that
// another process listens at. Cost: a look-up of the name each time.
#include "exec/store/sockets.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>

#include "exec/store/time_left.h"

namespace isoshard::exec {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;
constexpr auto kBetweenTries = std::chrono::milliseconds(50);

Addresses look_up(const StoreAddress& address, std::string& why) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  const int error = getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &wanted, &found);
  if (error != 0) why = gai_strerror(error);
  return Addresses(error == 0 ? found : nullptr, freeaddrinfo);
}

/// The first socket with which `use` can do something.
int first_that(const addrinfo* addresses, const std::function<bool(int, const addrinfo&)>& use, std::string& why) {
  for (const addrinfo* one = addresses; one != nullptr; one = one->ai_next) {
    const int descriptor = socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
    if (descriptor >= 0 && use(descriptor, *one)) return descriptor;
    why = std::strerror(errno);
    if (descriptor >= 0) close(descriptor);
  }
  return -1;
}

uint16_t port_of_socket(int descriptor) {
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &size);
  const bool is_v6 = own.ss_family == AF_INET6;
  return ntohs(is_v6 ? reinterpret_cast<sockaddr_in6&>(own).sin6_port : reinterpret_cast<sockaddr_in&>(own).sin_port);
}

/// A socket that asked for a free port of this machine may be given that very port, and be connected with itself.
bool is_connected_with_itself(int descriptor) {
  sockaddr_storage own{}, other{};
  socklen_t own_size = sizeof own, other_size = sizeof other;
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &own_size);
  getpeername(descriptor, reinterpret_cast<sockaddr*>(&other), &other_size);
  return own_size == other_size && std::memcmp(&own, &other, own_size) == 0;
}

/// A connect() that waits no longer than it may.
bool connects(int descriptor, const addrinfo& to, const TimeLeft& time) {
  const timeval none{0, 0};
  const auto left = static_cast<int64_t>(time.seconds() * 1e6) + 1000;
  const timeval patience{left / 1000000, left % 1000000};
  setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const bool connected = connect(descriptor, to.ai_addr, to.ai_addrlen) == 0;
  setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none);
  return connected && !is_connected_with_itself(descriptor);
}

}  // namespace

Outcome<int> listen_at(StoreAddress& address) {
  std::string why;
  const Addresses addresses = look_up(address, why);
  const auto use = [](int descriptor, const addrinfo& at) {
    const int yes = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    return bind(descriptor, at.ai_addr, at.ai_addrlen) == 0 && listen(descriptor, SOMAXCONN) == 0;
  };
  const int descriptor = addresses ? first_that(addresses.get(), use, why) : -1;
  if (descriptor < 0) {
    return tl::unexpected(Failure{Failure::Kind::failed,
                                  "the store at " + address.text() + ": " + why +
                                      "; expected an address of this machine and a port that is free; ISOSHARD_STORE "
                                      "names another"});
  }
  address.port = port_of_socket(descriptor);
  return descriptor;
}

Outcome<int> connect_to(const StoreAddress& address, double seconds) {
  const TimeLeft left(seconds);
  std::string why;
  do {
    const Addresses addresses = look_up(address, why);
    const auto use = [&](int descriptor, const addrinfo& to) { return connects(descriptor, to, left); };
    const int descriptor = addresses ? first_that(addresses.get(), use, why) : -1;
    if (descriptor >= 0) return descriptor;
    std::this_thread::sleep_for(kBetweenTries);
  } while (!left.is_over());
  return tl::unexpected(Failure{Failure::Kind::timed_out, why});
}

std::string name_of_peer(int descriptor) {
  sockaddr_storage other{};
  socklen_t size = sizeof other;
  char name[NI_MAXHOST] = "";
  if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&other), &size) != 0) return "somewhere";
  const int error =
      getnameinfo(reinterpret_cast<sockaddr*>(&other), size, name, sizeof name, nullptr, 0, NI_NUMERICHOST);
  return error == 0 ? name : "somewhere";
}

}  // namespace isoshard::exec
