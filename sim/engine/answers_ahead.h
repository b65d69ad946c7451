#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <system_error>
#include <utility>
#include <vector>

namespace isoshard::sim {

/// Answers questions 0 to count - 1, each of which may be asked before the answers to others are known: threads work on
/// the next ones while the caller looks at what there is.
///
/// Threads answer in the order of the numbers and wait for nobody. The caller takes answers in that order, so that what
/// it makes of them is the same for any number of threads; what was computed beyond is thrown away. With one thread, or
/// where the system gives none, the caller asks itself.
template <class Answer>
class AnswersAhead {
 public:
  using Ask = std::function<Answer(size_t question)>;

  /// With fewer than two `threads` the caller asks itself, when it wants to know. `ask` is called by all threads at
  /// once, and not after the destructor.
  AnswersAhead(size_t count, size_t threads, Ask ask) : ask_(std::move(ask)), answers_(count) {
    if (threads < 2) return;
    try {
      while (threads_.size() < std::min(threads, count)) {
        threads_.push_back(std::async(std::launch::async, [this] { work(); }));
      }
    } catch (const std::system_error&) {
      // The system gives no more threads: those that there are, or the caller, do the work.
    }
  }
  /// Threads stop after the question at hand.
  ~AnswersAhead() {
    next_ = answers_.size();
    for (std::future<void>& thread : threads_) thread.wait();
  }
  AnswersAhead(const AnswersAhead&) = delete;
  AnswersAhead& operator=(const AnswersAhead&) = delete;

  /// Waits for the answer; once for each question, in ascending order. What `ask` throws is thrown here.
  Answer at(size_t question) { return threads_.empty() ? ask_(question) : answers_[question].get_future().get(); }

 private:
  void work() {
    for (size_t q = next_++; q < answers_.size(); q = next_++) {
      try {
        answers_[q].set_value(ask_(q));
      } catch (...) {
        answers_[q].set_exception(std::current_exception());
      }
    }
  }

  Ask ask_;
  std::vector<std::promise<Answer>> answers_;
  std::atomic<size_t> next_ = 0;  ///< that no thread has taken
  std::vector<std::future<void>> threads_;
};

}  // namespace isoshard::sim
