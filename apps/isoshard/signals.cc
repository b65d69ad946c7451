#include "apps/isoshard/signals.h"

#include <unistd.h>

#include <csignal>

#include "core/support/write_file.h"

namespace isoshard::app {
namespace {

extern "C" void end_by_signal(int signal) {
  remove_unfinished_file();
  _exit(128 + signal);
}

}  // namespace

void handle_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    // What the caller ignores (nohup, a background job) stays ignored.
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = &end_by_signal;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace isoshard::app
