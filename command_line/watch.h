#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "sim/engine/caller.h"

namespace isoshard::command_line {

/// Ctrl-C has ended a piece of work; whoever asked for it tells what is known.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// Looks after long work, which consists of pieces (checks, meshes, steps): tells on stderr which piece and which part
/// of it is being done and how long that may still take, and throws Interrupted into it after Ctrl-C.
///
/// On a terminal it is one line, rewritten in place from the second second on and wiped at the end; elsewhere a line a
/// minute. Before a run that may take longer than a minute it says so.
class Watch final : public sim::Caller {
 public:
  /// `pieces`: how many there are, each called `piece`; `quiet` tells nothing. Ctrl-C is caught as long as it lives.
  Watch(std::string piece, size_t pieces, bool quiet);
  ~Watch() override;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// The next piece begins; `name` says which it is.
  void begin_piece(const std::string& name);
  /// The next claim of the piece begins: what was found of the one before is no longer known().
  void begin_claim();
  /// What to say of the current piece from now on, such as the loss.
  void remark(const std::string& text);
  /// Takes the line away, for what is printed next.
  void wipe();
  /// `in rung A, after 12.1 s`
  std::string where() const;
  /// What was found of the current piece or claim so far.
  std::vector<std::string> known() const;

  void begin_part(std::string_view part) override;
  void begin_run(const Plan& plan) override;
  void found(std::string_view what) override;
  void go_on(int64_t instructions) override;

 private:
  using Clock = std::chrono::steady_clock;

  void look();
  void show(Clock::time_point now);
  /// Of at most `room` characters: what is done is cut off before the time is.
  std::string line(Clock::time_point now, size_t room) const;
  std::string time_left(Clock::time_point now) const;
  void warn_of_long_run(double seconds);
  void wipe_line();

  const std::string piece_;
  const size_t pieces_;
  const bool quiet_, terminal_;
  const Clock::time_point begin_ = Clock::now();

  mutable std::mutex mutex_;  ///< of what follows
  size_t number_ = 0;
  std::string name_, part_, remark_, program_;
  std::vector<std::string> known_;
  Clock::time_point piece_begin_ = begin_, claim_begin_ = begin_, run_begin_ = begin_, next_;
  double run_instructions_ = 0;
  bool visible_ = false, warned_ = false, told_to_wait_ = false, ended_ = false;
  std::condition_variable end_;

  std::atomic<int64_t> done_ = 0;  ///< instructions of the run, rounded down
  std::thread thread_;
};

/// `12 s`, `4 min`, `2 h`.
std::string duration_in_words(double seconds);

}  // namespace isoshard::command_line
