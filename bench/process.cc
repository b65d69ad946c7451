#include "bench/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace isoshard::bench {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// The process id, or -1.
pid_t start_quietly(const std::string& binary, std::vector<std::string> words) {
  words.insert(words.begin(), binary);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, binary.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? pid : -1;
}

}  // namespace

std::string isoshard_binary() {
  if (const char* given = std::getenv("ISOSHARD_BINARY")) return given;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  return (self.parent_path().parent_path() / "apps" / "isoshard").string();
}

ProcessRun run_process(const std::string& binary, const std::vector<std::string>& arguments) {
  ProcessRun result;
  const pid_t pid = start_quietly(binary, arguments);
  int status = 0;
  rusage used{};
  if (pid < 0 || wait4(pid, &status, 0, &used) != pid) {
    result.exit_code = 127;
    return result;
  }
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  result.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  result.peak_megabytes = static_cast<double>(used.ru_maxrss) / 1024;
  return result;
}

}  // namespace isoshard::bench
