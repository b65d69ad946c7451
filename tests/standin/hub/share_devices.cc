// The side of the process that starts the devices and later the ranks. The devices are forked first, so that their
// process has what tests prepared: options, faults, the counts of calls. It is killed with this one by the kernel, and
// sees its door closed when the last process that knows of it is gone. Ranks that a launcher starts are not forked from
// here: they find a socket in a folder of its own, which only this user can enter.
#include "tests/standin/hub/share_devices.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "tests/standin/calls.h"
#include "tests/standin/faults.h"
#include "tests/standin/hub/hub.h"
#include "tests/standin/memory.h"
#include "tests/standin/remote/client.h"

namespace standin {
namespace {

constexpr int kSecondsToAnswer = 5;
pid_t hub_process = 0;
std::string door_folder;                       ///< empty: none was opened
size_t problems_before = 0, steps_before = 0;  ///< that both processes know

/// All from one on, a line each.
std::string lines_of(const std::vector<std::string>& lines, size_t first) {
  std::string text;
  for (size_t i = first; i < lines.size(); ++i) text += lines[i] + "\n";
  return text;
}

bool is_there() { return true; }

bool report(std::string* found, std::string* ran) {
  Machine::get().interrupt([&] {
    tell_unreached_fault();
    std::fflush(nullptr);
    check_guards();
    *found = lines_of(Machine::get().problems(), problems_before);
    *ran = lines_of(Machine::get().trace(), steps_before);
  });
  return true;
}

template <class Use>
void for_each_line(const std::string& text, const Use& use) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    use(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// What the devices say at their end is what this process has to say.
void adopt_report() {
  std::string found, ran;
  set_patience(kSecondsToAnswer);
  const bool answered = ask<&report>(Text{&found}, Text{&ran});
  be_no_client();
  const Lock lock(Machine::get().mutex);
  for_each_line(found, [](const std::string& line) { Machine::get().problem(line); });
  for_each_line(ran, [](const std::string& line) { Machine::get().note_step(line); });
  if (!answered) Machine::get().problem("the process of the devices does not answer, or has ended");
}

}  // namespace
}  // namespace standin

using namespace standin;

bool isoshard_share_devices() {
  auto [ours, theirs] = connected_channels();
  if (!ours.is_open()) return false;
  prepare_faults();
  problems_before = Machine::get().problems().size();
  steps_before = Machine::get().trace().size();
  std::fflush(nullptr);
  const pid_t parent = getpid();
  hub_process = fork();
  if (hub_process < 0) return false;
  if (hub_process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    ours = Channel();
    be_devices(std::move(theirs));
  }
  reset_faults();
  become_client(std::move(ours));
  if (ask<&is_there>()) return true;
  isoshard_end_sharing();
  return false;
}

const char* isoshard_open_door() {
  static std::string path;
  const char* const temporary = std::getenv("TMPDIR");
  std::string folder = std::string(temporary != nullptr ? temporary : "/tmp") + "/isoshard-standin-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return nullptr;
  door_folder = folder;
  path = folder + "/door";
  return open_door(path) ? path.c_str() : nullptr;
}

bool isoshard_join_devices(const char* path) {
  become_client(std::string(path));
  return ask<&is_there>();
}

void isoshard_end_sharing() {
  if (hub_process <= 0) return;  // 0 would be this process and all of its group
  if (!door_folder.empty()) {
    unlink((door_folder + "/door").c_str());
    rmdir(door_folder.c_str());
    door_folder.clear();
  }
  adopt_report();
  kill(hub_process, SIGKILL);
  while (waitpid(hub_process, nullptr, 0) < 0 && errno == EINTR) {
  }
  hub_process = 0;
}
