// Where ranks meet: a port of rank 0's machine that all of them come to without a word. All ranks on one machine take
// its loopback, which nobody else reaches. Else the launcher names a machine: torchrun MASTER_ADDR, Slurm the first
// node, OpenMPI the one of mpirun, on which rank 0 runs unless told otherwise. Ports come from the id of the job, above
// those that systems give away; torchrun has one of its own, at which its agent may listen already, so that the next is
// taken. Where nothing names a machine ISOSHARD_STORE has to. Cost: some look-ups.
#include "exec/launch/store_of.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "core/support/mix.h"

namespace isoshard::exec {
namespace {

using Words = tl::unexpected<std::string>;
constexpr const char* kLoopback = "127.0.0.1";
constexpr uint64_t kFirstPort = 61440, kPorts = 4096;

std::string word_of(const Variables& variables, const char* name) {
  const char* const text = variables(name);
  return text != nullptr ? text : "";
}

std::optional<uint64_t> whole_number(const std::string& text) {
  uint64_t result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return result;
}

/// A port that jobs with other ids most likely do not have. Not the id itself: those of OpenMPI end all in the same
/// bits.
uint16_t port_of_job(const std::string& job) {
  uint64_t hash = 0;
  for (const char c : job) hash = mix(hash + static_cast<unsigned char>(c));
  return static_cast<uint16_t>(kFirstPort + hash % kPorts);
}

Words not_named(const Launch& launch, const std::string& why) {
  return Words(launch.launcher + ": " + why +
               "; expected ISOSHARD_STORE=HOST:PORT, with the machine of rank 0, or ISOSHARD_STORE=file://FOLDER");
}

tl::expected<StoreAddress, std::string> at(const Launch& launch, const std::string& host, const std::string& job) {
  if (host.empty()) return not_named(launch, "nothing says on which machine rank 0 is");
  if (job.empty()) return not_named(launch, "nothing names the job");
  return StoreAddress{host, port_of_job(job)};
}

tl::expected<StoreAddress, std::string> of_torchrun(const Launch& launch, const Variables& variables) {
  const std::string host = word_of(variables, "MASTER_ADDR"), port = word_of(variables, "MASTER_PORT");
  if (host.empty() || port.empty()) {
    return not_named(launch, std::string(host.empty() ? "MASTER_ADDR" : "MASTER_PORT") + " is not set");
  }
  const std::optional<uint64_t> number = whole_number(port);
  const bool is_taken = word_of(variables, "TORCHELASTIC_USE_AGENT_STORE") == "True";
  const uint64_t own = number.value_or(0) + (is_taken ? 1 : 0);
  if (!number || *number == 0 || own > UINT16_MAX) return Words("MASTER_PORT=" + port + " leaves no port to meet at");
  return StoreAddress{host, static_cast<uint16_t>(own)};
}

/// `1234.0;tcp://10.0.0.1,10.1.0.1:4000` names the machine of mpirun.
std::string host_of_uri(const std::string& uri) {
  constexpr std::string_view kTcp = "tcp://";
  const size_t begin = uri.find(kTcp);
  if (begin == std::string::npos) return "";
  const std::string rest = uri.substr(begin + kTcp.size());
  return rest.substr(0, rest.find_first_of(",:;"));
}

tl::expected<StoreAddress, std::string> of_openmpi(const Launch& launch, const Variables& variables) {
  std::string job = word_of(variables, "PMIX_NAMESPACE");
  if (job.empty()) job = word_of(variables, "OMPI_MCA_ess_base_jobid");
  const bool one_machine = word_of(variables, "OMPI_COMM_WORLD_LOCAL_SIZE") == std::to_string(launch.ranks);
  return at(launch, one_machine ? kLoopback : host_of_uri(word_of(variables, "OMPI_MCA_orte_hnp_uri")), job);
}

tl::expected<StoreAddress, std::string> of_slurm(const Launch& launch, const Variables& variables) {
  const bool one_machine = word_of(variables, "SLURM_STEP_NUM_NODES") == "1";
  const std::string first = first_of_node_list(word_of(variables, "SLURM_STEP_NODELIST"));
  return at(launch, one_machine ? kLoopback : first, word_of(variables, "SLURM_JOB_ID"));
}

tl::expected<StoreAddress, std::string> of_flux(const Launch& launch, const Variables& variables) {
  const bool one_machine = word_of(variables, "FLUX_JOB_NNODES") == "1";
  return at(launch, one_machine ? kLoopback : "", word_of(variables, "FLUX_JOB_ID"));
}

}  // namespace

std::string first_of_node_list(const std::string& list) {
  const size_t end = list.find_first_of("[,");
  std::string name = list.substr(0, end);
  if (end == std::string::npos || list[end] == ',') return name;
  const size_t closed = list.find(']', end);
  name += list.substr(end + 1, list.find_first_of("-,]", end) - end - 1);
  if (closed == std::string::npos) return name;
  return name + list.substr(closed + 1, list.find_first_of(",[", closed) - closed - 1);
}

tl::expected<StoreAddress, std::string> store_of(const Launch& launch, const Variables& variables) {
  const std::string named = word_of(variables, "ISOSHARD_STORE");
  if (!named.empty()) {
    tl::expected<StoreAddress, std::string> address = parse_store_address(named);
    if (!address) return Words("ISOSHARD_STORE: " + address.error());
    return address;
  }
  if (launch.launcher == "torchrun") return of_torchrun(launch, variables);
  if (launch.launcher == "OpenMPI") return of_openmpi(launch, variables);
  if (launch.launcher == "srun") return of_slurm(launch, variables);
  if (launch.launcher == "Flux") return of_flux(launch, variables);
  return not_named(launch, "nothing says where the ranks meet");
}

}  // namespace isoshard::exec
