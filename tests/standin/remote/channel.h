#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace standin {

/// One end of a connection between two processes, over which messages of any length go; closed with its owner.
class Channel {
 public:
  explicit Channel(int descriptor = -1) : descriptor_(descriptor) {}
  Channel(Channel&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Channel& operator=(Channel&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Channel();

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  /// Sends a message; false where the other end is closed.
  bool send(std::span<const std::byte> message) const;
  /// Waits for the next message; false where the other end is closed.
  bool receive(std::vector<std::byte>& message) const;
  /// Gives receive() at most so many seconds from here on.
  void set_patience(int seconds) const;

  /// Whether it is a listener, at which connections can be accepted, and the next of these.
  bool is_listener() const;
  Channel accept() const;
  /// Sends a channel itself; false where the other end is closed.
  bool send_channel(const Channel& given) const;
  /// Waits for a channel that was sent; one that is not open where the other end is closed.
  Channel receive_channel() const;

 private:
  bool read_all(void* to, size_t bytes) const;
  int descriptor_;
};

/// Both ends of a new connection; ends that are not open where the system has none left.
std::pair<Channel, Channel> connected_channels();

/// A listener at a path of the file system, and a connection to one; not open where the system does not allow it.
Channel listener_at(const std::string& path);
Channel connected_to(const std::string& path);

}  // namespace standin
