// What NCCL does on real ranks, one process each, where the answer decides something in isoshard: how it rounds, what a
// rank sees when another is gone, and whether programs that the deadlock verdict refuses do hang. Ranks may share one
// GPU when each has a NCCL_HOSTID of its own (docs/gpu-results.md).
//
//   RANK=r WORLD_SIZE=n UID_FILE=path nccl_ranks MODE      the modes of modes.h; exit code 1 where one fails
#include <cstdio>
#include <string>

#include "bench/gpu/nccl/modes.h"

namespace isoshard::bench {
namespace {

int run(const std::string& mode) {
  const World world = join();
  if (mode == "killed") killed(world);
  if (mode == "crossed") crossed(world, false);
  if (mode == "crossed_on_one_stream") crossed(world, true);
  if (mode == "mismatch") mismatch(world);
  const bool good = mode == "sweep" ? sweep(world) : rounding(world);
  require(ncclCommFinalize(world.all), "ncclCommFinalize");
  require(ncclCommDestroy(world.all), "ncclCommDestroy");
  return good ? 0 : 1;
}

}  // namespace
}  // namespace isoshard::bench

int main(int argc, char** argv) {
  const std::string mode = argc == 2 ? argv[1] : "";
  for (const char* known : {"sweep", "rounding", "killed", "crossed", "crossed_on_one_stream", "mismatch"}) {
    if (mode != known) continue;
    isoshard::bench::require_device();
    return isoshard::bench::run(mode);
  }
  std::fprintf(stderr,
               "usage: RANK=r WORLD_SIZE=n UID_FILE=path nccl_ranks "
               "sweep|rounding|killed|crossed|crossed_on_one_stream|mismatch\n");
  return 2;
}
