#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "sim/engine/workers.h"

namespace isoshard::sim {

/// The caller of work that goes on beside other work: how it goes on is not told, but it ends when the caller of all
/// wants that, or when nobody wants the answer any more.
class CallerBeside final : public Caller {
 public:
  struct Dropped {};  ///< thrown to end the work

  explicit CallerBeside(Caller* of_all) : of_all_(of_all) {}
  void begin_part(std::string_view) override { go_on(1); }
  void go_on(int64_t instructions) override {
    if (dropped_.load(std::memory_order_relaxed)) throw Dropped();
    if (of_all_ != nullptr) of_all_->go_on(instructions);
  }
  void drop() { dropped_ = true; }

 private:
  Caller* of_all_;
  std::atomic<bool> dropped_ = false;
};

/// An answer that a thread of its own looks for while its owner does something else.
///
/// With one worker, or where the system gives no thread, the owner looks for it when it wants to know; the answer is
/// the same. Work that nobody wants any more ends at its next instruction.
template <class Answer>
class Beside {
 public:
  using Work = std::function<Answer(const Workers&)>;

  /// `work` is called once, or not at all; what it refers to has to live as long as this.
  Beside(const Workers& workers, Work work) : workers_(workers), work_(std::move(work)), caller_(workers.caller) {
    if (workers.count == 1 || std::thread::hardware_concurrency() < 2) return;
    Workers own = workers.alone();
    own.caller = &caller_;
    try {
      answer_ = std::async(std::launch::async, [this, own] { return work_(own); });
    } catch (const std::system_error&) {
      // No more threads: the owner does it.
    }
  }
  ~Beside() {
    caller_.drop();
    if (answer_.valid()) answer_.wait();
  }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  /// Waits for the answer; once. What the work throws is thrown here.
  Answer get() { return answer_.valid() ? answer_.get() : work_(workers_); }

 private:
  const Workers workers_;
  const Work work_;
  CallerBeside caller_;
  std::future<Answer> answer_;
};

}  // namespace isoshard::sim
