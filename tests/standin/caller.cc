// Whose calls a thread of the process of the devices makes.
#include "tests/standin/caller.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace standin {
namespace {

thread_local pid_t stands_for = 0;

}  // namespace

void stand_for(pid_t process) { stands_for = process; }

void kill_caller() {
  if (stands_for > 0) {
    kill(stands_for, SIGKILL);
    return;
  }
  constexpr int kProblems = 70;
  std::fprintf(stderr, "stand-in: a fault of kind kill: expected ranks that are processes\n");
  _exit(kProblems);
}

}  // namespace standin
