#include "tests/files/runner/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace isoshard::file_test {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// Output goes to unnamed files, so that no pipe can fill up.
File temporary_file() {
  File file(std::tmpfile(), std::fclose);
  if (!file) throw std::runtime_error(std::string("no temporary file: ") + std::strerror(errno));
  return file;
}

std::string contents(std::FILE* file) {
  std::string text;
  char buffer[4096];
  std::rewind(file);
  for (size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) != 0;) text.append(buffer, n);
  return text;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::runtime_error(std::string("waitpid: ") + std::strerror(errno));
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Outcome run_process(const std::vector<std::string>& arguments) {
  const File out = temporary_file(), err = temporary_file();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(err.get()), STDERR_FILENO);
  std::vector<std::string> copies = arguments;
  std::vector<char*> argv;
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + arguments[0] + ": " + std::strerror(error));
  Outcome outcome;
  outcome.exit_code = wait_for(child);
  outcome.out = contents(out.get());
  outcome.err = contents(err.get());
  return outcome;
}

std::string read_file(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rb"), [](std::FILE* f) { return f != nullptr ? std::fclose(f) : 0; });
  if (!file) throw std::runtime_error("cannot read " + path + ": " + std::strerror(errno));
  return contents(file.get());
}

}  // namespace isoshard::file_test
