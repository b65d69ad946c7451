// Loads an input for one mesh and decides its claims, on whatever thread asks. What is small has one thread and shares
// the machine with others of its kind, since the engine of a small program has no work for a second one. What is large,
// by the elements of its globals on all devices, waits until it is alone and takes all workers: two such checks at once
// might need more memory than there is, of which each thinks that it has all.
#include "command_line/commands/sweep_judge.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include "command_line/check_options.h"
#include "command_line/signals.h"
#include "command_line/watch.h"
#include "verify/warnings/warnings.h"

namespace isoshard::command_line {
namespace {

/// Of the globals of a small program, on all devices.
constexpr double kFewElements = 0x1p24;

/// Ends the work of a thread after Ctrl-C; how it goes on is not told.
class Interruptible final : public sim::Caller {
 public:
  void begin_part(std::string_view) override { go_on(1); }
  void go_on(int64_t) override {
    if (interrupted()) throw Interrupted();
  }
};

size_t threads_of(const sim::Workers& workers) {
  return workers.count > 0 ? static_cast<size_t>(workers.count) : std::max(1U, std::thread::hardware_concurrency());
}

bool is_small(const Module& module) {
  double elements = 0;
  int64_t devices = 1;
  for (const Global& global : module.globals) elements += static_cast<double>(element_count(global.type.shape));
  for (const Check& check : module.checks) {
    for (const ProgramId side : {check.left, check.right}) {
      devices = std::max(devices, module.program(side).mesh().device_count());
    }
  }
  return elements * static_cast<double>(devices) <= kFewElements;
}

}  // namespace

SweepJudge::SweepJudge(std::string input, const Settings& settings, sim::Workers workers, size_t meshes)
    : input_(std::move(input)),
      settings_(settings),
      workers_(workers),
      threads_(std::min(threads_of(workers), meshes)) {}

Judged SweepJudge::judge(const SweepPoint& point) {
  Settings settings = settings_;
  if (!point.axes.empty()) settings.mesh.push_back(point.mesh_text());
  if (!point.settings.empty()) settings.set.push_back(point.set_text());
  Judged judged;
  const std::optional<Module> module = load_claims(input_, settings, judged.sink);
  judged.loaded = module.has_value();
  if (!module) return judged;
  if (settings_.warnings && !settings_.quiet) judged.warnings = verify::module_warnings(*module);
  if (threads_ < 2) {
    decide(*module, workers_, judged);
    return judged;
  }
  Interruptible caller;
  sim::Workers workers = workers_;
  workers.caller = &caller;
  if (is_small(*module)) {
    const std::shared_lock together(machine_);
    decide(*module, workers.alone(), judged);
  } else {
    const std::unique_lock by_itself(machine_);
    decide(*module, workers, judged);
  }
  return judged;
}

void SweepJudge::decide(const Module& module, sim::Workers workers, Judged& judged) const {
  verify::CheckOptions options = check_options(settings_);
  options.workers = workers;
  for (const Check& check : module.checks) judged.reports.push_back(verify::check(module, check, options));
}

}  // namespace isoshard::command_line
