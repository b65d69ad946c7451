// Ranks that go wrong: what the others see of it, and that they come out again.
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/gpu/nccl/modes.h"

namespace isoshard::bench {

void killed(const World& world) {
  DeviceArray<float> x(1 << 20);
  require(ncclAllReduce(x.data(), x.data(), x.size(), ncclFloat, ncclSum, world.all, world.stream), "ncclAllReduce");
  say(world, "first all_reduce: " + wait(world.stream, world.all, 20));
  if (world.rank == world.size - 1) std::_Exit(0);
  require(ncclAllReduce(x.data(), x.data(), x.size(), ncclFloat, ncclSum, world.all, world.stream), "ncclAllReduce");
  const std::string ended = wait(world.stream, world.all, 10);
  say(world, "all_reduce without the last rank: " + ended);
  say(world, std::string("last error: ") + ncclGetLastError(world.all));
  abort_and_leave(world, {world.all}, ended.rfind("async error", 0) == 0);
}

void crossed(const World& world, bool one_stream) {
  ncclComm_t a, b;
  require(ncclCommSplit(world.all, 0, world.rank, &a, nullptr), "ncclCommSplit");
  require(ncclCommSplit(world.all, 0, world.rank, &b, nullptr), "ncclCommSplit");
  cudaStream_t other;
  require(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  DeviceArray<float> x(1 << 20), y(1 << 20);
  const auto reduce = [&](ncclComm_t communicator, const DeviceArray<float>& data, cudaStream_t stream) {
    require(ncclAllReduce(data.data(), data.data(), data.size(), ncclFloat, ncclSum, communicator, stream),
            "ncclAllReduce");
  };
  reduce(a, x, world.stream), reduce(b, y, world.stream);  // connections are made at first use
  say(world, "first use: " + wait(world.stream, world.all, 20));
  const cudaStream_t second = one_stream ? world.stream : other;
  reduce(a, x, world.stream), reduce(b, y, second);
  const std::string right = wait(world.stream, world.all, 20), right_too = wait(second, world.all, 20);
  say(world, "same order: " + right + ", " + right_too);
  if (world.rank == 0) reduce(a, x, world.stream), reduce(b, y, second);
  if (world.rank != 0) reduce(b, y, second), reduce(a, x, world.stream);
  say(world, "crossed: " + wait(world.stream, world.all, 8) + ", " + wait(second, world.all, 8));
  abort_and_leave(world, {a, b, world.all}, is_complete(right) && is_complete(right_too));
}

void mismatch(const World& world) {
  const bool odd = world.rank == 0;
  DeviceArray<float> x(1 << 20), y((1 << 20) * static_cast<std::size_t>(world.size));
  const std::vector<float> ones(x.size(), 1.0f);
  require(cudaMemcpy(x.data(), ones.data(), x.size() * 4, cudaMemcpyHostToDevice), "cudaMemcpy");
  require(ncclAllReduce(x.data(), y.data(), 1024, ncclFloat, ncclSum, world.all, world.stream), "ncclAllReduce");
  const std::string right = wait(world.stream, world.all, 20);
  say(world, "all_reduce of 1024 on all: " + right);
  require(ncclAllReduce(x.data(), y.data(), odd ? 512 : 1024, ncclFloat, ncclSum, world.all, world.stream),
          "ncclAllReduce");
  const std::string ended = wait(world.stream, world.all, 8);
  float first = 0, last = 0;
  if (is_complete(ended)) {
    require(cudaMemcpy(&first, y.data(), 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
    require(cudaMemcpy(&last, y.data() + (odd ? 511 : 1023), 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
  }
  say(world, "all_reduce of 512 on rank 0, of 1024 on the others: " + ended + "; first and last result " +
                 std::to_string(first) + ", " + std::to_string(last));
  if (!is_complete(ended)) abort_and_leave(world, {world.all}, is_complete(right));
  if (odd) {
    require(ncclAllGather(x.data(), y.data(), 512, ncclFloat, world.all, world.stream), "ncclAllGather");
  } else {
    require(ncclAllReduce(x.data(), y.data(), 1024, ncclFloat, ncclSum, world.all, world.stream), "ncclAllReduce");
  }
  say(world, "all_gather on rank 0, all_reduce on the others: " + wait(world.stream, world.all, 8));
  abort_and_leave(world, {world.all}, is_complete(right));
}

}  // namespace isoshard::bench
