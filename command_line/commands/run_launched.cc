// A run whose ranks a launcher has started, each as a process with the same command line. All of them read the program
// and the inputs, and each makes the lists of all ranks, so that no rank has to trust another: they compare digests of
// what they are about to run. Rank 0 is who `run` is without a launcher: it leads the steps, and has the whole outputs,
// which come to it, and all that is printed. Cost: planning once for each rank, digests of lists and inputs.
#include "command_line/commands/run_launched.h"

#include <unistd.h>

#include <isoshard/version.h>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "core/plan/calls/print_calls.h"
#include "core/support/counted.h"
#include "exec/launch/gather.h"
#include "exec/launch/launched_ranks.h"
#include "exec/launch/recognise.h"
#include "exec/launch/serve_launched.h"
#include "exec/run/steps.h"
#include "exec/start/oversubscribe.h"
#include "exec/store/store.h"

namespace isoshard::command_line {
namespace {

using exec::Failure;
constexpr double kGrace = 10;  // as of rank 0 with others: what it has to say comes first

std::string mesh_text(const Mesh& mesh) {
  std::string text;
  for (const MeshAxis& axis : mesh.axes()) {
    text += (text.empty() ? "" : ",") + axis.name + "=" + std::to_string(axis.size);
  }
  return text.empty() ? "of one device" : text;
}

std::string program_text(const Plan& plan, std::span<const calls::CallList> lists) {
  exec::Digest digest;
  for (const calls::CallList& list : lists) digest.add(calls::to_text(list, plan));
  return "@" + plan.program + " (digest of its calls " + digest.text() + ")";
}

std::string inputs_text(std::span<const Tensor> globals) {
  exec::Digest digest;
  for (const Tensor& global : globals) digest.add(global.bytes().data(), global.bytes().size());
  return "digest " + digest.text();
}

std::string options_text(const Settings& settings) {
  return "--steps " + std::to_string(settings.steps) + " --repeat " + std::to_string(settings.repeat) + " --products " +
         settings.products + " --graph " + (makes_graph(settings) ? "on" : "off") + (settings.check ? " --check" : "");
}

exec::Introduction introduction_of(const Plan& plan, const exec::Job& job, std::span<const Tensor> globals,
                                   const Settings& settings) {
  exec::Introduction introduction;
  introduction.runs = {{"version", ISOSHARD_VERSION},
                       {"--device", settings.device},
                       {"mesh", mesh_text(*plan.mesh)},
                       {"set of options", options_text(settings)},
                       {"program", program_text(plan, job.lists)},
                       {"set of inputs", inputs_text(globals)}};
  return introduction;
}

/// The device of a rank: of the stand-in, which has those of all machines, that of its number, else that of its number
/// on its machine. A launcher that shows each rank one GPU shows it as the first.
exec::Outcome<int> device_of_rank(const exec::Launch& launch, const exec::Machine& machine, const Settings& settings) {
  if (settings.device != "cuda") return static_cast<int>(launch.rank % machine.devices);
  const bool has_own = launch.local_rank < machine.devices || machine.devices == 1 || settings.oversubscribe;
  if (has_own) return static_cast<int>(launch.local_rank % machine.devices);
  return tl::unexpected(
      Failure{Failure::Kind::no_device, "it is number " + std::to_string(launch.local_rank) + " of its machine, with " +
                                            counted(machine.devices, "GPU") +
                                            ": expected a GPU for each rank, fewer ranks per machine, or "
                                            "--oversubscribe, with which timings mean nothing"});
}

std::string name_of_device(const exec::Machine& machine, int device) {
  const std::string& id = machine.bus_ids[static_cast<size_t>(device)];
  char host[256] = "";
  if (id.empty() || gethostname(host, sizeof host - 1) != 0) return "";
  return id + " of " + host;
}

/// What a launched process has before it meets the others.
struct Prepared {
  exec::PreparedJob made;
  exec::Introduction introduction;
  exec::Environment environment;
  exec::Identity identity;
};

exec::Outcome<Prepared> prepare(const Plan& plan, std::vector<calls::CallList> lists, std::span<const Tensor> globals,
                                const exec::KnownAlgorithms& known, const exec::Launch& launch,
                                const Settings& settings) {
  exec::Outcome<exec::PreparedJob> made = make_job(plan, std::move(lists), rank_settings(settings, known));
  if (!made) return tl::unexpected(made.error());
  const exec::Outcome<int> device = device_of_rank(launch, made->machine, settings);
  if (!device) return tl::unexpected(device.error());
  const auto rank = static_cast<size_t>(launch.rank);
  exec::place(*made->job, rank, *device, made->machine);
  Prepared prepared{std::move(*made), {}, {}, {rank, static_cast<size_t>(launch.ranks), launch.token}};
  prepared.introduction = introduction_of(plan, *prepared.made.job, globals, settings);
  if (!settings.oversubscribe) {
    prepared.introduction.device = name_of_device(prepared.made.machine, *device);
  } else if (settings.device == "cuda") {
    prepared.environment = exec::oversubscribed_environment(prepared.made.machine.description, rank);
  }
  return prepared;
}

exec::Outcome<StartedRanks> lead(Prepared prepared, const exec::Launch& launch, const Settings& settings) {
  const double seconds = static_cast<double>(settings.deadline);
  const size_t ranks = prepared.identity.ranks;
  exec::Outcome<std::unique_ptr<exec::Store>> store = exec::open_store(launch.store, prepared.identity, seconds);
  if (!store) return tl::unexpected(store.error());
  const exec::Outcome<> gathered = exec::gather(**store, ranks, prepared.introduction, launch.store, seconds);
  const auto fail = [&](const Failure& failure) {
    exec::stop_all(**store, ranks);
    (*store)->release();
    return tl::unexpected(failure);
  };
  if (!gathered) return fail(gathered.error());
  exec::Outcome<std::unique_ptr<exec::SharedDevices>> devices = exec::SharedDevices::share(device_of(settings));
  if (!devices) return fail(devices.error());
  const exec::Outcome<std::string> place = (*devices)->open_door();
  if (!place) return fail(place.error());
  exec::Outcome<std::unique_ptr<exec::RankHost>> own =
      exec::start_process_of(prepared.made.job, 0, prepared.environment, std::move(*devices));
  if (!own) return fail(own.error());
  if (const exec::Outcome<> sent = exec::welcome(**store, ranks, *place); !sent) return fail(sent.error());
  exec::Outcome<std::unique_ptr<exec::RankHost>> host =
      exec::launched_ranks(prepared.made.job, std::move(*own), std::move(*store));
  if (!host) return tl::unexpected(host.error());
  return StartedRanks{std::make_unique<exec::Crew>(prepared.made.job, std::move(*host)),
                      prepared.made.machine.description};
}

exec::Outcome<> follow(Prepared prepared, std::span<const Tensor> globals, const exec::Launch& launch,
                       const Settings& settings) {
  const double seconds = static_cast<double>(settings.deadline);
  exec::Outcome<std::unique_ptr<exec::Store>> store = exec::open_store(launch.store, prepared.identity, seconds);
  if (!store) return tl::unexpected(store.error());
  const exec::Outcome<std::string> place = exec::introduce(**store, prepared.introduction, seconds + kGrace);
  if (!place) return tl::unexpected(place.error());
  exec::Job& job = *prepared.made.job;
  job.open_backend = [device = device_of(settings), place = *place]() -> exec::Outcome<exec::Backend*> {
    if (const exec::Outcome<> joined = exec::join_devices(device, place); !joined)
      return tl::unexpected(joined.error());
    return exec::load_backend(device);
  };
  const size_t rank = prepared.identity.rank;
  exec::Outcome<std::unique_ptr<exec::RankHost>> own =
      exec::start_process_of(prepared.made.job, rank, prepared.environment);
  if (!own) return tl::unexpected(own.error());
  return exec::serve_launched(job, rank, **own, **store, [&] { exec::lay_inputs_of(job, rank, globals, true); });
}

}  // namespace

bool find_launch(const Settings& settings, std::optional<exec::Launch>& launch, DiagnosticSink& sink) {
  if (!settings.launcher.empty()) return true;
  auto found = exec::recognise([](const std::string& name) { return std::getenv(name.c_str()); });
  if (found) {
    launch = std::move(*found);
  } else {
    sink.error("I-launcher", {}, found.error() + "; with --launcher processes `run` starts all ranks itself");
  }
  return found.has_value();
}

bool check_launch(const Plan& plan, const exec::Launch& launch, DiagnosticSink& sink) {
  const int64_t count = plan.mesh->device_count();
  if (launch.ranks == count) return true;
  sink.error("I-ranks", {},
             launch.launcher + " has started " + counted(launch.ranks, "rank") + ": @" + plan.program +
                 " is for a mesh of " + counted(count, "device") +
                 "; expected as many ranks, or another --mesh; with " +
                 "--launcher processes `run` starts all ranks itself");
  return false;
}

std::optional<StartedRanks> start_launched(const Plan& plan, std::vector<calls::CallList> lists,
                                           std::span<const Tensor> globals, const exec::KnownAlgorithms& known,
                                           const exec::Launch& launch, const Settings& settings, DiagnosticSink& sink,
                                           int& code) {
  exec::Outcome<Prepared> prepared = prepare(plan, std::move(lists), globals, known, launch, settings);
  exec::Outcome<StartedRanks> started =
      prepared ? lead(std::move(*prepared), launch, settings) : tl::unexpected(prepared.error());
  if (started) return std::move(*started);
  code = report_failure(started.error(), sink);
  return std::nullopt;
}

int serve_rank_of(const Plan& plan, std::vector<calls::CallList> lists, std::span<const Tensor> globals,
                  const exec::KnownAlgorithms& known, const exec::Launch& launch, const Settings& settings,
                  DiagnosticSink& sink) {
  exec::Outcome<Prepared> prepared = prepare(plan, std::move(lists), globals, known, launch, settings);
  const exec::Outcome<> served =
      prepared ? follow(std::move(*prepared), globals, launch, settings) : tl::unexpected(prepared.error());
  if (served) return kHolds;
  if (served.error().message.empty()) return kDoesNotHold;  // rank 0 tells it
  return report_failure(served.error(), sink);
}

}  // namespace isoshard::command_line
