#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>

namespace isoshard::sim {

/// One operation in parts, each of which is taken by one thread. It lives where it is shared, until nobody helps.
class SharedWork {
 public:
  SharedWork(int64_t count, const std::function<void(int64_t)>& part) : count_(count), part_(part) {}

  bool is_open() const { return next_.load(std::memory_order_relaxed) < count_; }
  /// Does parts until none is left; null, or what a part threw, after which no further one begins.
  std::exception_ptr work() {
    try {
      for (int64_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) part_(i);
      return nullptr;
    } catch (...) {
      next_.store(count_);
      return std::current_exception();
    }
  }

  // Of the queue, under its lock.
  int64_t helping = 0;
  std::exception_ptr failure;

 private:
  const int64_t count_;
  const std::function<void(int64_t)>& part_;
  std::atomic<int64_t> next_ = 0;
};

}  // namespace isoshard::sim
