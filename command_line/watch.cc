// A thread of its own looks at the work every tenth of a second, so that parts which ask nobody are told of, too. The
// work itself counts its instructions, of which the Plan says beforehand how many a run has; what is left of the run,
// and of pieces of which some are done, follows by proportion. Ctrl-C is seen before the next instruction; where there
// is none for a second the thread says that a second Ctrl-C ends at once. Cost: a counter per 64 instructions.
#include "command_line/watch.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "command_line/signals.h"
#include "command_line/terminal.h"
#include "core/plan/plan.h"
#include "sim/run/work_estimate.h"
#include "verify/answers/words.h"

namespace isoshard::command_line {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kUnseen{2000}, kBetweenLooks{100}, kBetweenLines{60000}, kPatience{1000};
constexpr const char* kClearLine = "\r\x1b[K";
/// What takes longer than this is announced; a check is about as much as so many runs in floats, most of them in rings.
constexpr double kLong = 60, kRunsOfACheck = 8;
constexpr int64_t kCountedAtOnce = 64;

double seconds_between(std::chrono::steady_clock::time_point begin, std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

std::string duration_in_words(double seconds) {
  char text[32];
  const double amount = seconds < 99 ? seconds : seconds < 5400 ? seconds / 60 : seconds / 3600;
  std::snprintf(text, sizeof text, "%.0f %s", amount, seconds < 99 ? "s" : seconds < 5400 ? "min" : "h");
  return text;
}

Watch::Watch(std::string piece, size_t pieces, bool quiet)
    : piece_(std::move(piece)),
      pieces_(pieces),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0),
      next_(begin_ + (terminal_ ? kUnseen : kBetweenLines)) {
  catch_interrupt();
  thread_ = std::thread([this] { look(); });
}

Watch::~Watch() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
    wipe_line();
  }
  end_.notify_all();
  thread_.join();
  release_interrupt();
}

void Watch::begin_piece(const std::string& name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++number_;
  name_ = name;
  part_.clear();
  remark_.clear();
  known_.clear();
  run_instructions_ = 0;
  piece_begin_ = claim_begin_ = Clock::now();
}

void Watch::begin_claim() {
  const std::lock_guard<std::mutex> lock(mutex_);
  part_.clear();
  known_.clear();
  run_instructions_ = 0;
  claim_begin_ = Clock::now();
}

void Watch::remark(const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  remark_ = text;
}

void Watch::wipe() {
  const std::lock_guard<std::mutex> lock(mutex_);
  wipe_line();
}

std::string Watch::where() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return (part_.empty() ? "" : "in " + part_ + ", ") + "after " +
         verify::seconds_in_words(seconds_between(claim_begin_, Clock::now()));
}

std::vector<std::string> Watch::known() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return known_;
}

void Watch::begin_part(std::string_view part) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    part_ = part;
    run_instructions_ = 0;
  }
  go_on(1);
}

void Watch::begin_run(const Plan& plan) {
  const sim::WorkEstimate work = sim::estimate_work(plan);
  const std::lock_guard<std::mutex> lock(mutex_);
  program_ = plan.program;
  run_instructions_ = work.instructions;
  run_begin_ = Clock::now();
  done_.store(0, std::memory_order_relaxed);
  const double workers = std::max(1.0, static_cast<double>(std::thread::hardware_concurrency()));
  const double runs = part_.starts_with("rung") ? kRunsOfACheck : 1;
  const double devices = static_cast<double>(plan.mesh->device_count());
  warn_of_long_run(work.seconds() * runs / std::min(workers, devices));
}

void Watch::found(std::string_view what) {
  const std::lock_guard<std::mutex> lock(mutex_);
  known_.emplace_back(what);
}

void Watch::go_on(int64_t instructions) {
  thread_local int64_t uncounted = 0;
  if ((uncounted += instructions) >= kCountedAtOnce) {
    done_.fetch_add(uncounted, std::memory_order_relaxed);
    uncounted = 0;
  }
  if (interrupted()) throw Interrupted();
}

void Watch::look() {
  std::unique_lock<std::mutex> lock(mutex_);
  Clock::time_point asked{};
  while (!ended_) {
    end_.wait_for(lock, kBetweenLooks);
    const Clock::time_point now = Clock::now();
    if (ended_) return;
    if (interrupted()) {
      if (asked == Clock::time_point{}) asked = now;
      if (now - asked < kPatience || told_to_wait_) continue;
      told_to_wait_ = true;
      wipe_line();
      print_note("ending" + (part_.empty() ? std::string() : " after this part, " + part_) +
                 "; Ctrl-C again ends at once");
    } else if (!quiet_ && now >= next_) {
      show(now);
    }
  }
}

void Watch::show(Clock::time_point now) {
  next_ = now + (terminal_ ? kBetweenLooks : kBetweenLines);
  if (!terminal_) return print_note(line(now, std::string::npos));
  const size_t room = static_cast<size_t>(terminal_columns(STDERR_FILENO)) - 1;
  std::fprintf(stderr, "%s%s", kClearLine, line(now, room).c_str());
  std::fflush(stderr);
  visible_ = true;
}

std::string Watch::line(Clock::time_point now, size_t room) const {
  std::string text;
  if (pieces_ > 1) text = piece_ + " " + std::to_string(number_) + " of " + std::to_string(pieces_) + ", ";
  text += name_ + (part_.empty() ? "" : ": " + part_) + remark_;
  const std::string left = time_left(now);
  const std::string time = ", " + duration_in_words(seconds_between(begin_, now)) + (left.empty() ? "" : ", " + left);
  return text.substr(0, room - std::min(room, time.size())) + time.substr(0, room);
}

/// Of the pieces where some are done, else of the run.
std::string Watch::time_left(Clock::time_point now) const {
  if (number_ > 1) {
    const double done = static_cast<double>(number_ - 1);
    const double each = seconds_between(begin_, piece_begin_) / done;
    const double left = each * (static_cast<double>(pieces_) - done) - seconds_between(piece_begin_, now);
    return left > 0 ? "about " + duration_in_words(left) + " left" : "";
  }
  const double done = static_cast<double>(done_.load(std::memory_order_relaxed));
  if (run_instructions_ <= 0 || done <= 0 || done >= run_instructions_) return "";
  const double left = seconds_between(run_begin_, now) * (run_instructions_ / done - 1);
  return "about " + duration_in_words(left) + " left of this run of @" + program_;
}

void Watch::warn_of_long_run(double seconds) {
  if (warned_ || quiet_ || seconds < kLong) return;
  warned_ = true;
  wipe_line();
  print_note("note: " + (name_.empty() ? "" : name_ + ": ") + "@" + program_ + " may take about " +
             duration_in_words(seconds) + "; smaller sizes (--set, --mesh) are faster");
}

void Watch::wipe_line() {
  if (visible_) std::fputs(kClearLine, stderr);
  visible_ = false;
}

}  // namespace isoshard::command_line
