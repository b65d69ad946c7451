// Forked processes without orphans and without zombies. The kernel kills a child when its parent dies
// (PR_SET_PDEATHSIG), be it by a signal: Ctrl-C ends the parent, and so all ranks. The parent may have died between the
// fork and that request, so the child looks. It ends by _exit: what the parent registered for its own end, buffered
// output among it, is the parent's. Cost: a fork, whose pages are copied when they are written.
#include "exec/run/child.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace isoshard::exec {

std::optional<Child> Child::start(const std::function<void()>& work) {
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t id = fork();
  if (id < 0) return std::nullopt;
  if (id > 0) return Child(id);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() == parent) work();
  std::fflush(nullptr);
  _exit(0);
}

void Child::reap() {
  if (id_ == 0) return;
  while (waitpid(id_, &status_, 0) < 0 && errno == EINTR) {
  }
  id_ = 0;
}

void Child::kill() {
  if (id_ == 0) return;
  ::kill(id_, SIGKILL);
  reap();
}

std::string Child::end() {
  reap();
  if (!WIFSIGNALED(status_)) return "ended with exit code " + std::to_string(WEXITSTATUS(status_));
  const int signal = WTERMSIG(status_);
  return "was killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

}  // namespace isoshard::exec
