#pragma once

#include <nccl.h>

#include <chrono>
#include <string>
#include <vector>

#include "bench/gpu/device.h"

namespace isoshard::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// This process among the ranks.
struct World {
  int rank = 0;
  int size = 1;
  ncclComm_t all = nullptr;
  cudaStream_t stream = nullptr;
};

/// Joins the ranks that RANK, WORLD_SIZE and UID_FILE of the environment name; rank 0 prints device and versions.
World join();

/// Waits for `stream` until `deadline` seconds have gone; says in words how it ended: `complete ...`, `async error
/// ...`, `CUDA error ...` or `still waiting ...`.
std::string wait(cudaStream_t stream, ncclComm_t communicator, double deadline);
/// Whether that is what wait() said.
inline bool is_complete(const std::string& ended) { return ended.rfind("complete", 0) == 0; }

/// Prints a line behind the number of the rank.
void say(const World& world, const std::string& text);

/// Aborts and says how long that took. The process then ends with code 0 if `good` and else 1, without destructors,
/// since streams may still be busy.
[[noreturn]] void abort_and_leave(const World& world, const std::vector<ncclComm_t>& communicators, bool good);

}  // namespace isoshard::bench
