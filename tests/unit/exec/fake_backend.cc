#include "tests/unit/exec/fake_backend.h"

#include <gtest/gtest.h>

#include "core/plan/passes/lower.h"
#include "core/text/text.h"
#include "exec/run/steps.h"

namespace isoshard::exec::testing {
namespace {

constexpr const char* kEcho = R"(isoshard 1
mesh @m [data=2]
global @x : f32[4] input
global @w : f32[2] param
program @echo on @m {
  %x = view @x [data]
  %w = view @w [-]
  return @y = %x [data]
  update @w = %w [-]
}
)";

}  // namespace

OpenBackend fake_backend(const Faults& faults, int devices) {
  hold_all();
  return [backend = std::make_shared<FakeBackend>(faults, devices)]() -> Outcome<Backend*> { return backend.get(); };
}

Plan echo_plan() {
  DiagnosticSink sink;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"echo.shard", kEcho});
  const std::optional<Module> module = text::parse_module(file, {}, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  return lower(*module, ProgramId(0));
}

std::vector<calls::CallList> echo_lists() {
  std::vector<calls::CallList> lists(2);
  for (int64_t rank = 0; rank < 2; ++rank) {
    calls::CallList& list = lists[static_cast<size_t>(rank)];
    const IndexRange half{{2 * rank}, {2 * rank + 2}}, all{{0}, {2}};
    list.position = rank;
    list.bytes = 1024;
    list.inputs = {{0, half, 0}, {1, all, 256}};
    list.outputs = {{0, half, 512}, {1, all, 768}};
  }
  return lists;
}

std::shared_ptr<Job> echo_job(const Plan& plan, const OpenBackend& open_backend) {
  auto job = std::make_shared<Job>();
  job->lists = echo_lists();
  job->devices = {0, 1};
  job->updated = updated_globals(plan);
  job->options.deadline = 0.3;
  job->open_backend = open_backend;
  job->desk = *Desk::make(plan, job->lists);
  return job;
}

}  // namespace isoshard::exec::testing
