// Communicators: how ranks meet, split, finish and give up. A call that needs all members marks each as in progress
// until the last has come; one that blocks waits for that, one that does not is polled. What can never come ends as
// ncclInternalError.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/standin/calls.h"
#include "tests/standin/communicators.h"
#include "tests/standin/nccl_matching.h"
#include "tests/standin/witness.h"

namespace standin {
namespace {

bool config_is_good(const ncclConfig_t* config) {
  return config == nullptr || (config->magic == 0xcafebeef && config->size == sizeof(ncclConfig_t));
}

bool blocks(const ncclConfig_t* config, bool otherwise) {
  return config == nullptr || config->blocking == NCCL_CONFIG_UNDEF_INT ? otherwise : config->blocking != 0;
}

std::string name_in(const ncclConfig_t* config, const std::string& otherwise) {
  return config == nullptr || config->commName == nullptr ? otherwise : config->commName;
}

/// What a call that began something that all members take part in returns.
ncclResult_t begun(Lock& lock, ncclComm& comm) {
  Machine::get().changed();
  if (!comm.blocking) return state_of(comm) == ncclSuccess ? ncclSuccess : ncclInProgress;
  const Wake wake = Machine::get().wait(lock, [&] { return state_of(comm) != ncclInProgress; });
  if (wake == Wake::failed) set_error(comm, ncclInternalError, "members do not come");
  return comm.error;
}

bool device_is_taken(const Clique& clique, int device) {
  return std::any_of(clique.members.begin(), clique.members.end(),
                     [&](const ncclComm* member) { return member != nullptr && member->device == device; });
}

ncclResult_t join(Lock& lock, ncclComm_t* out, int ranks, const ncclUniqueId& id, int rank,
                  const ncclConfig_t* config) {
  Machine::get().use(matching());
  if (out == nullptr || ranks < 1 || rank < 0 || rank >= ranks || !config_is_good(config)) return ncclInvalidArgument;
  const std::string key(id.internal, strnlen(id.internal, sizeof id.internal));
  if (key.rfind("standin ", 0) != 0) return ncclInvalidArgument;
  std::shared_ptr<Clique>& clique = all_cliques()[key];
  if (!clique) {
    clique = std::make_shared<Clique>();
    clique->key = key;
    clique->name = name_in(config, "comm" + key.substr(key.find_last_of(' ') + 1));
    clique->size = ranks;
    clique->departed = Machine::get().departed();
    clique->members.resize(static_cast<size_t>(ranks));
  }
  if (clique->size != ranks || clique->members[static_cast<size_t>(rank)] != nullptr) return ncclInvalidArgument;
  if (device_is_taken(*clique, current_device())) {
    Machine::get().problem("Duplicate GPU detected: rank " + std::to_string(rank) + " of \"" + clique->name +
                           "\" uses device " + std::to_string(current_device()) + " as well");
    return ncclInvalidUsage;
  }
  ncclComm& comm = make_comm(blocks(config, true));
  comm.rank = rank;
  comm.clique = clique;
  *out = &comm;
  clique->members[static_cast<size_t>(rank)] = &comm;
  if (++clique->joined == clique->size) {
    for (ncclComm* member : clique->members) member->in_progress = 0;
  }
  return begun(lock, comm);
}

void make_child(const ncclComm& parent, Clique::Split& split, int64_t index, int color) {
  std::vector<std::pair<int, size_t>> order;
  for (size_t member = 0; member < split.colors.size(); ++member) {
    if (split.colors[member] == color) order.emplace_back(split.keys[member], member);
  }
  std::sort(order.begin(), order.end());
  const std::string path = "/" + std::to_string(index) + "." + std::to_string(color);
  auto clique = std::make_shared<Clique>();
  clique->key = parent.clique->key + path;
  clique->name = split.names[order.front().second];
  if (clique->name.empty()) clique->name = parent.clique->name + path;
  clique->size = clique->joined = static_cast<int>(order.size());
  for (const auto& [key, member] : order) {
    ncclComm* const child = split.made[member];
    child->rank = static_cast<int>(clique->members.size());
    child->clique = clique;
    child->in_progress = 0;
    clique->members.push_back(child);
  }
  all_cliques().emplace(clique->key, clique);
}

void complete_split(const ncclComm& parent, int64_t index) {
  Clique::Split split = std::move(parent.clique->splits.at(index));
  parent.clique->splits.erase(index);
  std::vector<int> colors = split.colors;
  std::sort(colors.begin(), colors.end());
  colors.erase(std::unique(colors.begin(), colors.end()), colors.end());
  for (const int color : colors) {
    if (color != NCCL_SPLIT_NOCOLOR) make_child(parent, split, index, color);
  }
  for (ncclComm* member : parent.clique->members) --member->in_progress;
}

ncclResult_t usable(const ncclComm* comm) {
  if (comm == nullptr) return ncclInvalidArgument;
  if (comm->error != ncclSuccess) return comm->error;
  return state_of(*comm) == ncclSuccess && !comm->finalized ? ncclSuccess : ncclInvalidArgument;
}

ncclResult_t split(Lock& lock, ncclComm_t handle, int color, int key, ncclComm_t* out, const ncclConfig_t* config) {
  ncclComm* const comm = comm_of(handle);
  if (out == nullptr || color < NCCL_SPLIT_NOCOLOR || !config_is_good(config)) return ncclInvalidArgument;
  if (const ncclResult_t error = usable(comm); error != ncclSuccess) return error;
  if (comm->unfinished > 0) {
    Machine::get().problem("rank " + std::to_string(comm->device) + ": a split of communicator \"" +
                           comm->clique->name + "\" while it has unfinished work");
  }
  const int64_t index = comm->splits++;
  Clique::Split& all_of = comm->clique->splits[index];
  const auto size = static_cast<size_t>(comm->clique->size);
  if (all_of.joined == 0) {
    all_of.colors.resize(size);
    all_of.keys.resize(size);
    all_of.made.resize(size);
    all_of.names.resize(size);
  }
  const auto rank = static_cast<size_t>(comm->rank);
  all_of.colors[rank] = color;
  all_of.keys[rank] = key;
  all_of.names[rank] = name_in(config, "");
  *out = nullptr;
  if (color != NCCL_SPLIT_NOCOLOR) *out = all_of.made[rank] = &make_comm(blocks(config, comm->blocking));
  ++comm->in_progress;
  if (++all_of.joined == comm->clique->size) complete_split(*comm, index);
  return begun(lock, *comm);
}

void end(ncclComm& comm) {
  comm.destroyed = true;
  comm.deferred.clear();
  if (comm.clique) drop(comm);
}

ncclResult_t abort_comm(ncclComm& comm) {
  end(comm);
  if (comm.clique) {
    for (ncclComm* member : comm.clique->members) {
      if (member != nullptr && member != &comm && !comm.finalized) {
        set_error(*member, ncclRemoteError, "rank " + std::to_string(comm.device) + " aborted");
      }
    }
  }
  Machine::get().changed();
  return ncclSuccess;
}

ncclResult_t destroy(ncclComm& comm) {
  if (comm.unfinished > 0) {
    Machine::get().problem("rank " + std::to_string(comm.device) + ": communicator \"" + comm.clique->name +
                           "\" is destroyed while it has unfinished work");
  }
  end(comm);
  Machine::get().changed();
  return ncclSuccess;
}

ncclResult_t poll(Lock& lock, ncclComm& comm) {
  if (!comm.deferred.empty()) {
    issue_deferred(comm);
    return state_of(comm);
  }
  const ncclResult_t before = state_of(comm);
  if (before != ncclSuccess && before != ncclInProgress) return before;
  const Wake wake = Machine::get().query(lock, [&] { return state_of(comm) != before; });
  const bool waits = comm.unfinished > 0 || state_of(comm) == ncclInProgress;
  if (wake == Wake::failed && waits) set_error(comm, ncclInternalError, "a deadlock");
  return state_of(comm);
}

bool tell_last_error(ncclComm_t handle, std::string* text) {
  const Lock lock(Machine::get().mutex);
  const ncclComm* const comm = comm_of(handle);
  const std::vector<std::string>& problems = Machine::get().problems();
  *text = comm != nullptr ? comm->message : problems.empty() ? "" : problems.back();
  return true;
}

}  // namespace

}  // namespace standin

using namespace standin;

extern "C" {

/// STANDIN_NCCL is another one.
ncclResult_t ncclGetVersion(int* version) {
  if (version == nullptr) return ncclInvalidArgument;
  const char* const asked = std::getenv("STANDIN_NCCL");
  *version = asked != nullptr ? std::atoi(asked) : NCCL_VERSION_CODE;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  if (is_client()) return ask<ncclGetUniqueId>(Out{id});
  return nccl_call([&](Lock&) {
    if (id == nullptr) return ncclInvalidArgument;
    std::memset(id, 0, sizeof *id);
    std::snprintf(id->internal, sizeof id->internal, "standin %llu", static_cast<unsigned long long>(next_id()));
    return ncclSuccess;
  });
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t* config) {
  if (is_client()) return ask<ncclCommInitRankConfig>(Out{comm}, ranks, id, rank, Config{config});
  return nccl_call([&](Lock& lock) {
    if (witnesses()) witness({"ncclCommInitRankConfig", word(ranks), word(rank)});
    return join(lock, comm, ranks, id, rank, config);
  });
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
  return ncclCommInitRankConfig(comm, ranks, id, rank, nullptr);
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* child, ncclConfig_t* config) {
  if (is_client()) return ask<ncclCommSplit>(comm, color, key, Out{child}, Config{config});
  return nccl_call([&](Lock& lock) {
    if (witnesses()) witness({"ncclCommSplit", word(color), word(key)});
    return split(lock, comm, color, key, child, config);
  });
}

ncclResult_t ncclCommFinalize(ncclComm_t handle) {
  if (is_client()) return ask<ncclCommFinalize>(handle);
  return nccl_call([&](Lock& lock) {
    ncclComm* const comm = comm_of(handle);
    if (const ncclResult_t error = usable(comm); error != ncclSuccess) return error;
    comm->finalized = true;
    ++comm->clique->finalized;
    return begun(lock, *comm);
  });
}

ncclResult_t ncclCommDestroy(ncclComm_t handle) {
  if (is_client()) return ask<ncclCommDestroy>(handle);
  return nccl_call([&](Lock&) {
    ncclComm* const comm = comm_of(handle);
    return comm == nullptr ? ncclInvalidArgument : destroy(*comm);
  });
}

ncclResult_t ncclCommAbort(ncclComm_t handle) {
  if (is_client()) return ask<ncclCommAbort>(handle);
  return nccl_call([&](Lock&) {
    ncclComm* const comm = comm_of(handle);
    return comm == nullptr ? ncclInvalidArgument : abort_comm(*comm);
  });
}

ncclResult_t ncclCommCount(const ncclComm_t handle, int* count) {
  if (is_client()) return ask<ncclCommCount>(handle, Out{count});
  return nccl_call([&](Lock&) {
    const ncclComm* const comm = comm_of(handle);
    if (comm == nullptr || count == nullptr || !comm->clique) return ncclInvalidArgument;
    *count = comm->clique->size;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommUserRank(const ncclComm_t handle, int* rank) {
  if (is_client()) return ask<ncclCommUserRank>(handle, Out{rank});
  return nccl_call([&](Lock&) {
    const ncclComm* const comm = comm_of(handle);
    if (comm == nullptr || rank == nullptr) return ncclInvalidArgument;
    *rank = comm->rank;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t handle, ncclResult_t* error) {
  if (is_client()) return ask<ncclCommGetAsyncError>(handle, Out{error});
  return nccl_call([&](Lock& lock) {
    ncclComm* const comm = comm_of(handle);
    if (comm == nullptr || error == nullptr) return ncclInvalidArgument;
    *error = poll(lock, *comm);
    return ncclSuccess;
  });
}

const char* ncclGetErrorString(ncclResult_t result) {
  static const char* const texts[] = {"no error",
                                      "a call of CUDA failed",
                                      "a call of the system failed",
                                      "an inner error",
                                      "invalid argument",
                                      "invalid usage",
                                      "remote error",
                                      "in progress"};
  return result >= 0 && result < ncclNumResults ? texts[result] : "unknown result";
}

const char* ncclGetLastError(ncclComm_t handle) {
  thread_local std::string text;
  is_client() ? ask<&tell_last_error>(handle, Text{&text}) : tell_last_error(handle, &text);
  return text.c_str();
}

}  // extern "C"
