#pragma once

#include <isoshard/export.h>

#include <atomic>
#include <memory>

namespace isoshard {
inline namespace v1 {

/// Says to long work that it is not wanted any more, from any thread; copies are one and the same token.
///
/// Work looks between the instructions of a run and between its parts, and ends with a StoppedError.
class StopToken {
 public:
  StopToken() : asked_(std::make_shared<std::atomic<bool>>(false)) {}

  /// Asks to stop. Takes no lock and no memory, so that a handler of signals may call it.
  void request_stop() const noexcept { asked_->store(true, std::memory_order_relaxed); }
  bool stop_requested() const noexcept { return asked_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> asked_;
};

}  // namespace v1
}  // namespace isoshard
