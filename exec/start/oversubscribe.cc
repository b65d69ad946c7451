// Several ranks on one GPU, for tests of the calls themselves. NCCL refuses two ranks of one host with the same GPU.
// Before 2.30 the way round is to make each rank a host of its own (NCCL_HOSTID, read once per process): then they talk
// by sockets over the loopback, which says nothing about speed. From 2.30 on there is a switch for it, and the ranks
// must share the channels of the GPU. RAS is off since all ranks would listen on its one port. Cost: milliseconds per
// collective, as contexts take turns on the GPU.
#include "exec/start/oversubscribe.h"

#include <unistd.h>

#include <cstdio>

namespace isoshard::exec {
namespace {

/// Whether the machine has NCCL 2.30 or later; false where it does not say.
bool has_switch(const std::string& machine) {
  const size_t at = machine.find("NCCL ");
  int major = 0, minor = 0;
  if (at == std::string::npos || std::sscanf(machine.c_str() + at, "NCCL %d.%d", &major, &minor) != 2) return false;
  return major > 2 || (major == 2 && minor >= 30);
}

}  // namespace

std::optional<Environment> environment_of_shared_gpus(const std::string& machine) {
  if (!has_switch(machine)) return std::nullopt;
  return Environment{
      {"NCCL_MULTI_RANK_GPU_ENABLE", "1"}, {"NCCL_MAX_CTAS", "2"}, {"NCCL_NVLS_ENABLE", "0"}, {"NCCL_RAS_ENABLE", "0"}};
}

Environment oversubscribed_environment(const std::string& machine, size_t rank) {
  if (const std::optional<Environment> of_all = environment_of_shared_gpus(machine)) return *of_all;
  return {{"NCCL_HOSTID", "isoshard-" + std::to_string(getppid()) + "-" + std::to_string(rank)},
          {"NCCL_NET", "Socket"},
          {"NCCL_IB_DISABLE", "1"},
          {"NCCL_SOCKET_IFNAME", "lo"},
          {"NCCL_MNNVL_ENABLE", "0"},
          {"NCCL_RAS_ENABLE", "0"}};
}

}  // namespace isoshard::exec
