// Launchers by what they put into the environment. Each has variables for the rank, how many there are, and the rank
// within its machine; the first in this order of which one is there decides, since an inner launcher (torchrun in a
// Slurm step) is the one that started this process, and its variables stand earlier. A set of which only a part is
// there is an error: a rank that took itself for the only one would compute alone, and look right. Where the ranks meet
// (store_of.h) is asked last. Cost: some look-ups.
#include "exec/launch/recognise.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "exec/launch/store_of.h"

namespace isoshard::exec {
namespace {

/// Names of the variables of a launcher.
struct Launcher {
  const char* launcher;
  const char* rank;
  const char* ranks;
  std::array<const char*, 2> local_rank;  ///< the second where the first is not there
  const char* only_with;                  ///< without it the others mean something else
  std::array<const char*, 3> in_job;      ///< what tells this job from others
};

constexpr std::array<Launcher, 7> kRows{{
    {"isoshard", "ISOSHARD_RANK", "ISOSHARD_SIZE", {"ISOSHARD_LOCAL_RANK", nullptr}, nullptr, {}},
    {"torchrun", "RANK", "WORLD_SIZE", {"LOCAL_RANK", nullptr}, nullptr, {"TORCHELASTIC_RUN_ID", "MASTER_PORT"}},
    {"OpenMPI",
     "OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_SIZE",
     {"OMPI_COMM_WORLD_LOCAL_RANK", nullptr},
     nullptr,
     {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"}},
    {"srun",
     "SLURM_PROCID",
     "SLURM_NTASKS",
     {"SLURM_LOCALID", nullptr},
     "SLURM_STEP_ID",  // sbatch alone sets SLURM_PROCID, too
     {"SLURM_JOB_ID", "SLURM_STEP_ID"}},
    {"MPICH", "PMI_RANK", "PMI_SIZE", {"MPI_LOCALRANKID", "PALS_LOCAL_RANKID"}, nullptr, {"PALS_APID"}},
    {"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", {"FLUX_TASK_LOCAL_ID", nullptr}, nullptr, {"FLUX_JOB_ID"}},
    {"PALS", "PALS_RANKID", "PALS_SIZE", {"PALS_LOCAL_RANKID", nullptr}, nullptr, {"PALS_APID"}},
}};

/// Values of the variables of a row; empty: not there.
struct Values {
  std::string rank, ranks, local_rank;
  bool none() const { return rank.empty() && ranks.empty(); }
};

std::string value(const Variables& variables, const char* name) {
  const char* const text = name != nullptr ? variables(name) : nullptr;
  return text != nullptr ? text : "";
}

Values values_of(const Launcher& row, const Variables& variables) {
  Values values{value(variables, row.rank), value(variables, row.ranks), value(variables, row.local_rank[0])};
  if (values.local_rank.empty()) values.local_rank = value(variables, row.local_rank[1]);
  return values;
}

std::optional<std::string> missing(const Launcher& row, const Values& values) {
  const std::array<std::pair<const char*, const std::string*>, 3> all{
      {{row.rank, &values.rank}, {row.ranks, &values.ranks}, {row.local_rank[0], &values.local_rank}}};
  const auto there = [](const auto& one) { return !one.second->empty(); };
  const auto found = std::find_if(all.begin(), all.end(), there);
  const auto lost = std::find_if_not(all.begin(), all.end(), there);
  if (lost == all.end()) return std::nullopt;
  return std::string(found->first) + "=" + *found->second + " is set, as by " + row.launcher + ", and " + lost->first +
         " is not; expected all of " + row.rank + ", " + row.ranks + " and " + row.local_rank[0] + ", or none of them";
}

tl::expected<int64_t, std::string> number(const char* name, const std::string& text, int64_t least) {
  int64_t result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (whole && result >= least && result <= INT32_MAX) return result;
  return tl::unexpected(std::string(name) + "=" + text + ": expected a number from " + std::to_string(least) + " on");
}

tl::expected<Launch, std::string> read(const Launcher& row, const Values& values) {
  Launch launch;
  launch.launcher = row.launcher;
  const auto rank = number(row.rank, values.rank, 0), ranks = number(row.ranks, values.ranks, 1),
             local = number(row.local_rank[0], values.local_rank, 0);
  for (const auto* one : {&rank, &ranks, &local}) {
    if (!*one) return tl::unexpected(one->error());
  }
  if (*rank >= *ranks) {
    return tl::unexpected(std::string(row.rank) + "=" + values.rank + " is no rank of " + row.ranks + "=" +
                          values.ranks + "; expected 0 to " + std::to_string(*ranks - 1));
  }
  if (*local > *rank) {
    return tl::unexpected(std::string(row.local_rank[0]) + "=" + values.local_rank + " is more than " + row.rank + "=" +
                          values.rank + "; expected the rank among those of its machine");
  }
  launch.rank = *rank;
  launch.ranks = *ranks;
  launch.local_rank = *local;
  return launch;
}

/// Of one job, whatever it is, and with the secret where there is one.
std::string token_of(const Launcher& row, const Variables& variables) {
  std::string token = row.launcher;
  for (const char* name : row.in_job) token += "/" + value(variables, name);
  return token + "/" + value(variables, "ISOSHARD_TOKEN");
}

}  // namespace

tl::expected<std::optional<Launch>, std::string> recognise(const Variables& variables) {
  for (const Launcher& row : kRows) {
    if (row.only_with != nullptr && value(variables, row.only_with).empty()) continue;
    const Values values = values_of(row, variables);
    if (values.none()) continue;
    if (const std::optional<std::string> words = missing(row, values)) return tl::unexpected(*words);
    tl::expected<Launch, std::string> launch = read(row, values);
    if (!launch) return tl::unexpected(launch.error());
    launch->token = token_of(row, variables);
    const tl::expected<StoreAddress, std::string> store = store_of(*launch, variables);
    if (!store) return tl::unexpected(store.error());
    launch->store = *store;
    return std::optional(std::move(*launch));
  }
  return std::optional<Launch>();
}

}  // namespace isoshard::exec
