#include "bench/table/isolated.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

namespace isoshard::bench {
namespace {

using nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

std::string written(const Measured& measured) {
  json all{{"megabytes", measured.megabytes}, {"note", measured.note}, {"parts", measured.parts}};
  if (measured.value) all["value"] = *measured.value;
  return all.dump();
}

Measured read_back(const std::string& text) {
  const json all = json::parse(text);
  Measured measured{{}, all.at("megabytes"), all.at("note"), all.at("parts")};
  if (all.contains("value")) measured.value = all["value"].get<double>();
  return measured;
}

/// AddressSanitizer reserves terabytes of addresses.
constexpr bool kSanitized =
#if defined(__SANITIZE_ADDRESS__)
    true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    true;
#else
    false;
#endif
#else
    false;
#endif

/// Neighbours live on what is left.
void take_half_of_memory() {
  if (kSanitized) return;
  const auto half = static_cast<rlim_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) / 2;
  const rlimit limit{half, half};
  setrlimit(RLIMIT_AS, &limit);
}

volatile sig_atomic_t row_process = 0;  ///< and its group; 0: none

/// Takes the row's process with it when this one is to end.
void end_with_row(int signal_number) {
  if (row_process > 0) kill(-row_process, SIGKILL);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

/// In the child: never returns.
[[noreturn]] void answer(const std::function<Measured()>& measure, int pipe) {
  setpgid(0, 0);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_DFL);
  take_half_of_memory();
  Measured measured;
  try {
    measured = measure();
  } catch (const std::exception& error) {
    measured.note = error.what();
  }
  const std::string text = written(measured);
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = write(pipe, text.data() + done, text.size() - done);
    if (count <= 0) _exit(1);
    done += static_cast<size_t>(count);
  }
  _exit(0);
}

/// What comes until the other end is closed; false when that lasts too long.
bool read_until(int pipe, double deadline, std::string& text) {
  const SteadyClock::time_point start = SteadyClock::now();
  char buffer[4096];
  for (;;) {
    const double left = deadline - std::chrono::duration<double>(SteadyClock::now() - start).count();
    pollfd waiting{pipe, POLLIN, 0};
    if (left <= 0 || poll(&waiting, 1, static_cast<int>(left * 1000) + 1) == 0) return false;
    const ssize_t count = read(pipe, buffer, sizeof buffer);
    if (count <= 0) return true;
    text.append(buffer, static_cast<size_t>(count));
  }
}

/// The most megabytes that a process had, by /proc; 0 where it is gone.
double peak_of_process(const std::string& folder) {
  std::ifstream status(folder + "/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes / 1024;
  }
  return 0;
}

/// The most that one of the processes of a group had so far.
double peak_of_group(pid_t group) {
  double peak = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid > 0 && getpgid(pid) == group) peak = std::max(peak, peak_of_process(entry.path()));
  }
  return peak;
}

Measured not_done(double deadline, double megabytes) {
  char words[64];
  std::snprintf(words, sizeof words, "not done in %g s", deadline);
  return Measured{{}, megabytes, words, {}};
}

}  // namespace

Measured isolated(const std::function<Measured()>& measure, double deadline) {
  int ends[2];
  if (pipe(ends) != 0) return Measured{{}, 0, "not measured: no pipe", {}};
  std::fflush(nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, end_with_row);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    answer(measure, ends[1]);
  }
  setpgid(child, child);  // as the child does: whoever comes first
  row_process = child;
  close(ends[1]);
  std::string text;
  const bool in_time = child > 0 && read_until(ends[0], deadline, text);
  close(ends[0]);
  if (child < 0) return Measured{{}, 0, "not measured: no process", {}};
  const double peak = in_time ? 0 : peak_of_group(child);
  if (!in_time) kill(-child, SIGKILL);
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  row_process = 0;
  if (!in_time) return not_done(deadline, peak);
  if (text.empty()) return Measured{{}, 0, "the process ended early, status " + std::to_string(status), {}};
  Measured measured = read_back(text);
  if (measured.megabytes == 0) measured.megabytes = static_cast<double>(used.ru_maxrss) / 1024;
  return measured;
}

}  // namespace isoshard::bench
