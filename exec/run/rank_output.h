#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace isoshard::exec {

/// What processes of ranks print, by NCCL for one, goes to stderr line by line with the rank before it, so that the
/// output of `run` stays its own.
class RankOutput {
 public:
  RankOutput() = default;
  ~RankOutput() { finish(); }
  RankOutput(const RankOutput&) = delete;
  RankOutput& operator=(const RankOutput&) = delete;

  /// Makes the pipe of a rank that is forked next; false where the system has none left.
  bool add(size_t rank);
  /// In the process of the last rank that was added: prints into its pipe from here on.
  void redirect();
  /// In the caller, behind all forks: passes on what comes; false where the system has no more threads.
  bool begin();
  /// When all ranks have ended: waits until the last line of each is printed.
  void finish();

 private:
  struct Source {
    size_t rank;
    int reads, writes;
    std::string line{};
  };
  void pass_on();
  std::vector<Source> sources_{};
  std::atomic<bool> ending_{false};
  std::thread thread_{};
};

}  // namespace isoshard::exec
