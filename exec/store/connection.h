#pragma once  // internal

#include <cstddef>
#include <utility>
#include <vector>

#include "exec/store/frame.h"

namespace isoshard::exec {

/// A connected socket that does not block, with what has come and what has not gone yet; closed with its owner.
class Connection {
 public:
  explicit Connection(int descriptor);
  Connection(Connection&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)),
        come_(std::move(other.come_)),
        left_(std::move(other.left_)),
        gone_(other.gone_) {}
  Connection& operator=(Connection&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    come_ = std::move(other.come_);
    left_ = std::move(other.left_);
    gone_ = other.gone_;
    return *this;
  }
  ~Connection();

  int descriptor() const { return descriptor_; }
  /// What to ask poll() for.
  short events() const;
  /// Adds a frame to what is to go.
  void add(const Frame& frame);
  /// Sends and takes what can be without waiting; false where the other end is closed.
  bool exchange();
  bool has_unsent() const { return gone_ < left_.size(); }
  enum class Next : uint8_t { none, frame, too_long };
  /// The next frame that has come as a whole; too_long where its body has more than `most` bytes.
  Next next(size_t most, Frame& frame);
  /// Keeps the socket open to the end of the process.
  void release() { descriptor_ = -1; }

 private:
  bool send_some();
  bool receive_some();
  int descriptor_;
  std::vector<std::byte> come_{}, left_{};
  size_t gone_ = 0;  ///< of left_
};

}  // namespace isoshard::exec
