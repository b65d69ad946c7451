#include "command_line/signals.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "core/support/write_file.h"

namespace isoshard::command_line {
namespace {

std::atomic<bool> asked_to_end = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a handler of signals may take no lock");

extern "C" void end_by_signal(int signal) {
  remove_unfinished_file();
  _exit(128 + signal);
}

extern "C" void ask_to_end(int signal) {
  if (asked_to_end.exchange(true)) end_by_signal(signal);
}

/// What the caller ignores (nohup, a background job) stays ignored.
void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

void handle_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, &end_by_signal);
}

void catch_interrupt() { handle(SIGINT, &ask_to_end); }

void release_interrupt() { handle(SIGINT, &end_by_signal); }

bool interrupted() { return asked_to_end.load(std::memory_order_relaxed); }

void end_by_closed_pipe() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  _exit(128 + SIGPIPE);  // where the caller blocks the signal
}

}  // namespace isoshard::command_line
