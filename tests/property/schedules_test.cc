// Pipelines of random sizes over meshes of data, pipeline and tensor parallelism, with one or more stages per rank,
// around or there and back, in every schedule and in random orders of actions: loss, outputs and all gradients are
// those of the model on one device, and are not where an action list lacks nothing but its sense.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "core/schedule/schedules.h"
#include "core/support/result.h"
#include "tests/pipelines_testing.h"
#include "tests/sanitized.h"

namespace isoshard::testing::schedules_test {
namespace {

int64_t between(int64_t least, int64_t most) { return *rc::gen::inRange<int64_t>(least, most + 1); }

PipelineFile any_file() {
  PipelineFile f;
  f.stages = between(1, kSanitized ? 3 : 5);
  f.per_rank = between(1, kSanitized || f.stages > 3 ? 2 : 3);
  f.placement = between(0, 1) == 0 ? "loop" : "v";
  f.data = between(1, 2);
  f.model = between(1, 2);
  f.micro_batches = between(1, kSanitized ? 4 : 8);
  f.rows = between(1, 2);
  f.width = between(1, 3);
  f.hidden = between(1, 3);
  return f;
}

schedule::Placement placement_of(const PipelineFile& f) {
  return {f.stages, f.per_rank, f.placement == "v" ? schedule::Style::v : schedule::Style::loop};
}

/// A right order of actions: of what can go on, anything may be next.
std::string random_actions(const schedule::Placement& placement, int64_t micro_batches) {
  const int64_t stages = placement.stages();
  std::vector<int64_t> entered(static_cast<size_t>(stages), 0), left(static_cast<size_t>(stages), 0);
  schedule::ActionLists lists(static_cast<size_t>(placement.ranks));
  for (int64_t n = 0; n < 2 * stages * micro_batches; ++n) {
    std::vector<schedule::Action> ready;
    for (int64_t s = 0; s < stages; ++s) {
      const auto i = static_cast<size_t>(s);
      if (entered[i] < (s == 0 ? micro_batches : entered[i - 1]))
        ready.push_back({s, schedule::ActionKind::forward, entered[i]});
      if (left[i] < (s + 1 == stages ? entered[i] : left[i + 1]))
        ready.push_back({s, schedule::ActionKind::backward, left[i]});
    }
    const schedule::Action next = ready[static_cast<size_t>(between(0, static_cast<int64_t>(ready.size()) - 1))];
    const auto i = static_cast<size_t>(next.stage);
    ++(next.kind == schedule::ActionKind::forward ? entered : left)[i];
    lists[static_cast<size_t>(placement.rank_of(next.stage))].push_back(next);
  }
  std::string text = schedule::to_csv(lists);
  text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ';');
  return text;
}

void expect_equal(const PipelineFile& f) {
  const std::string text = pipeline_text(f);
  RC_LOG(text);
  const std::optional<Module> module = module_of(text);
  RC_ASSERT(module.has_value());
  for (const Check& check : module->checks) RC_ASSERT(verify::check(*module, check).exit_code() == 0);
  const std::string printed = text::print(*module);
  const std::optional<Module> again = module_of(printed);
  RC_ASSERT(again.has_value());
  RC_ASSERT(text::print(*again) == printed);
}

RC_GTEST_PROP(Schedules, OfAnySizeAreTheModelOnOneDevice, ()) {
  PipelineFile f = any_file();
  std::vector<std::string> names = schedule::schedule_names();
  std::erase_if(names, [&](const auto& name) { return !schedule::by_name(name, placement_of(f), f.micro_batches); });
  RC_PRE(!names.empty());
  f.schedule = "schedule=\"" + names[static_cast<size_t>(between(0, static_cast<int64_t>(names.size()) - 1))] + "\"";
  expect_equal(f);
}

RC_GTEST_PROP(Schedules, MayOrderActionsAsTheyLike, ()) {
  PipelineFile f = any_file();
  f.schedule = "actions=\"" + random_actions(placement_of(f), f.micro_batches) + "\"";
  expect_equal(f);
}

}  // namespace
}  // namespace isoshard::testing::schedules_test
