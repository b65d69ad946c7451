#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "exec/backend.h"
#include "exec/store/frame.h"
#include "exec/store/store_address.h"

namespace isoshard::exec {

/// What came from a rank: a frame, or nothing any more.
struct Arrival {
  size_t rank = 0;
  std::optional<Frame> frame{};  ///< none: the rank has left, or sent what is no frame
  std::string why{};             ///< it has left: `has closed its connection`
};

/// Where the processes of a job meet, and talk: each with rank 0, in order. Used by one thread.
///
/// A store on a socket is a stream of frames in both directions: the length of the body (4 bytes, the first the least),
/// the kind (1 byte), the body. The first frame says who comes (hello.h); who has shown no token is answered nothing
/// else. In a folder each frame is a file of its own with the same bytes.
class Store {
 public:
  virtual ~Store() = default;
  /// Sends a frame: rank 0 to any other, these to rank 0. `failed` where that cannot be, as on a full disk.
  virtual Outcome<> send(size_t rank, const Frame& frame) = 0;
  /// The next that comes; nothing where one of `also` can be read before, or `seconds` are over.
  std::optional<Arrival> next(std::span<const int> also, double seconds);
  /// Whether something that was sent is still here.
  virtual bool has_unsent() const = 0;
  /// What happened beside the ranks: `another token from 127.0.0.1`; empty where nothing did.
  virtual std::string strangers() const { return ""; }
  /// Leaves what others see of this process as it is until its end.
  virtual void release() = 0;

 protected:
  /// What has come, after waiting at most as long as next() does; it may be nothing yet.
  virtual std::vector<Arrival> attend(std::span<const int> also, double seconds) = 0;

 private:
  std::deque<Arrival> waiting_{};
};

/// Who opens a store, and in which job.
struct Identity {
  size_t rank = 0;
  size_t ranks = 1;
  std::string token;
};

/// Opens the store as rank 0, for whom the others look, or as another rank, within `seconds`. The message of a failure
/// names the address.
Outcome<std::unique_ptr<Store>> open_store(const StoreAddress& address, const Identity& identity, double seconds);

}  // namespace isoshard::exec
