#pragma once  // internal

#include <atomic>
#include <cstddef>
#include <functional>
#include <future>
#include <vector>

namespace isoshard::verify {

/// Answers questions 0 to count - 1, each of which may be asked before the answers to others are known: threads work on
/// the next ones while the caller looks at what there is.
class AnswersAhead {
 public:
  using Ask = std::function<bool(size_t question)>;

  /// With fewer than two `threads` the caller asks itself, when it wants to know. `ask` is called by all threads at
  /// once, and not after the destructor.
  AnswersAhead(size_t count, size_t threads, Ask ask);
  ~AnswersAhead();
  AnswersAhead(const AnswersAhead&) = delete;
  AnswersAhead& operator=(const AnswersAhead&) = delete;

  /// Waits for the answer; once for each question, in ascending order. What `ask` throws is thrown here.
  bool at(size_t question);

 private:
  void work();

  Ask ask_;
  std::vector<std::promise<bool>> answers_;
  std::atomic<size_t> next_ = 0;  ///< that no thread has taken
  std::vector<std::future<void>> threads_;
};

}  // namespace isoshard::verify
