// Threads that answer numbered questions in order and wait for nobody. The caller takes answers in the order of the
// numbers, so that the first one that it likes is the same for any number of threads; what was computed beyond it is
// thrown away. With one thread, or where the system gives none, the caller asks itself. The destructor moves the next
// number past the end, so that threads stop after the question at hand.
#include "verify/floats/answers_ahead.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

namespace isoshard::verify {

AnswersAhead::AnswersAhead(size_t count, size_t threads, Ask ask) : ask_(std::move(ask)), answers_(count) {
  if (threads < 2) return;
  try {
    while (threads_.size() < std::min(threads, count)) {
      threads_.push_back(std::async(std::launch::async, [this] { work(); }));
    }
  } catch (const std::system_error&) {
    // The system gives no more threads: those that there are, or the caller, do the work.
  }
}

AnswersAhead::~AnswersAhead() {
  next_ = answers_.size();
  for (std::future<void>& thread : threads_) thread.wait();
}

bool AnswersAhead::at(size_t question) {
  return threads_.empty() ? ask_(question) : answers_[question].get_future().get();
}

void AnswersAhead::work() {
  for (size_t q = next_++; q < answers_.size(); q = next_++) {
    try {
      answers_[q].set_value(ask_(q));
    } catch (...) {
      answers_[q].set_exception(std::current_exception());
    }
  }
}

}  // namespace isoshard::verify
