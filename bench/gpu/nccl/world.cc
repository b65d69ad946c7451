// How a process finds the other ranks, and how it leaves them. The id travels in a file, which appears whole; every
// wait has a deadline, so that nothing hangs.
#include "bench/gpu/nccl/world.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace isoshard::bench {
namespace {

int number_of(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

/// The id that rank 0 drew, by a file that appears whole.
ncclUniqueId shared_id(int rank) {
  const char* path = std::getenv("UID_FILE");
  if (path == nullptr) require(1, "UID_FILE must name a file that is not there yet; it");
  ncclUniqueId id;
  if (rank == 0) {
    require(ncclGetUniqueId(&id), "ncclGetUniqueId");
    const std::string part = std::string(path) + ".part";
    std::ofstream(part, std::ios::binary).write(id.internal, sizeof id.internal);
    if (std::rename(part.c_str(), path) != 0) require(1, "rename of UID_FILE");
    return id;
  }
  for (;; std::this_thread::sleep_for(std::chrono::milliseconds(20))) {
    std::ifstream file(path, std::ios::binary);
    if (file.read(id.internal, sizeof id.internal)) return id;
  }
}

}  // namespace

World join() {
  World world{number_of("RANK", 0), number_of("WORLD_SIZE", 1)};
  int devices = 0;
  require(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  require(cudaSetDevice(world.rank % devices), "cudaSetDevice");
  const ncclUniqueId id = shared_id(world.rank);
  const auto begin = Clock::now();
  require(ncclCommInitRank(&world.all, world.size, id, world.rank), "ncclCommInitRank");
  int version = 0;
  require(ncclGetVersion(&version), "ncclGetVersion");
  if (world.rank == 0) {
    print_device();
    std::printf("# NCCL %d (header %d), %d ranks, init %.0f ms\n", version, NCCL_VERSION_CODE, world.size,
                seconds_since(begin) * 1e3);
  }
  require(cudaStreamCreateWithFlags(&world.stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return world;
}

std::string wait(cudaStream_t stream, ncclComm_t communicator, double deadline) {
  const auto begin = Clock::now();
  for (; seconds_since(begin) < deadline; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
    const cudaError_t status = cudaStreamQuery(stream);
    ncclResult_t error = ncclSuccess;
    ncclCommGetAsyncError(communicator, &error);
    const std::string when = " after " + std::to_string(seconds_since(begin)) + " s";
    if (error != ncclSuccess && error != ncclInProgress)
      return std::string("async error ") + ncclGetErrorString(error) + when;
    if (status == cudaSuccess) return "complete" + when;
    if (status != cudaErrorNotReady) return std::string("CUDA error ") + cudaGetErrorName(status) + when;
  }
  return "still waiting after " + std::to_string(deadline) + " s, no async error";
}

void say(const World& world, const std::string& text) {
  std::printf("[rank %d] %s\n", world.rank, text.c_str());
  std::fflush(stdout);
}

void abort_and_leave(const World& world, const std::vector<ncclComm_t>& communicators, bool good) {
  const auto begin = Clock::now();
  std::string results;
  for (const ncclComm_t each : communicators) results += std::string(" ") + ncclGetErrorString(ncclCommAbort(each));
  say(world, "ncclCommAbort:" + results + ", " + std::to_string(seconds_since(begin)) +
                 " s; cudaDeviceSynchronize: " + cudaGetErrorName(cudaDeviceSynchronize()));
  std::_Exit(good ? 0 : 1);
}

}  // namespace isoshard::bench
