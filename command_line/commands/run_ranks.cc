// Starts the ranks of a run, says where several share a GPU, and has the exit code of each way to fail. Cost: that of
// exec/start.
#include "command_line/commands/run_ranks.h"

#include "command_line/terminal.h"
#include "core/support/counted.h"
#include "exec/start/ranks.h"

namespace isoshard::command_line {
namespace {

using exec::Failure;

exec::Outcome<StartedRanks> start(const Plan& plan, std::vector<calls::CallList> lists,
                                  const exec::KnownAlgorithms& known, const Settings& settings) {
  const exec::RankSettings ranks = rank_settings(settings, known);
  const exec::Outcome<exec::PreparedJob> made = make_job(plan, std::move(lists), ranks);
  if (!made) return tl::unexpected(made.error());
  if (exec::is_oversubscribed(*made, ranks) && settings.oversubscribe && !settings.quiet) {
    print_note("oversubscribed: " + counted(static_cast<int64_t>(made->job->lists.size()), "rank") + " on " +
               counted(made->machine.devices, "GPU") + "; timings mean nothing");
  }
  exec::Outcome<std::unique_ptr<exec::RankHost>> host = exec::start_ranks(*made, ranks);
  if (!host) return tl::unexpected(host.error());
  return StartedRanks{std::make_unique<exec::Crew>(made->job, std::move(*host)), made->machine.description};
}

}  // namespace

std::optional<StartedRanks> start_ranks(const Plan& plan, std::vector<calls::CallList> lists,
                                        const exec::KnownAlgorithms& known, const Settings& settings,
                                        DiagnosticSink& sink, int& code) {
  exec::Outcome<StartedRanks> started = start(plan, std::move(lists), known, settings);
  if (!started) {
    code = report_failure(started.error(), sink);
    return std::nullopt;
  }
  return std::move(*started);
}

int report_failure(const Failure& failure, DiagnosticSink& sink) {
  switch (failure.kind) {
    case Failure::Kind::no_device:
      sink.error("R-device", {}, failure.message);
      return kNoDevice;
    case Failure::Kind::unsupported:
      sink.error("R-unsupported", {}, failure.message);
      return kUndecided;
    case Failure::Kind::no_memory:
      sink.error("D-memory", {}, failure.message + "; try smaller sizes (--set) or more devices (--mesh)");
      return kBadInput;
    case Failure::Kind::timed_out:
      sink.error("R-deadline", {}, failure.message);
      return kDoesNotHold;
    case Failure::Kind::not_as_listed:
      sink.error("R-issued", {}, failure.message);
      return kDoesNotHold;
    case Failure::Kind::failed:
    case Failure::Kind::elsewhere:
      sink.error("R-failed", {}, failure.message);
      return kDoesNotHold;
  }
  return kDoesNotHold;
}

}  // namespace isoshard::command_line
