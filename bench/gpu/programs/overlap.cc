// How much of a program's communication its kernels hide. The calls of each rank are issued three times: all of them,
// those that compute, and those that communicate. The other ones are left out of the lists, so that the numbers which
// come out mean nothing, but streams, events and sizes are those of the program. Exposed is what all take longer than
// the kernels alone. Cost: ranks are started six times for each program.
#include "bench/gpu/programs/overlap.h"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/gpu/programs/drawn_globals.h"
#include "core/plan/calls/writing/make_call_list.h"
#include "core/plan/memory/plan_memory.h"
#include "core/plan/passes/lower.h"
#include "core/support/check.h"
#include "core/support/result.h"

namespace isoshard::bench {
namespace {

using exec::Outcome;
using nlohmann::ordered_json;

/// Of a request that was seen to be right.
Module module_of(const ModelRequest& request) {
  DiagnosticSink sink;
  std::optional<Module> module = make_model(request, sink);
  ISOSHARD_CHECK(module.has_value(), "the catalogue makes this model");
  return std::move(*module);
}

constexpr std::array kParts = {Part::all, Part::compute, Part::communication};

tl::unexpected<exec::Failure> refused(const Diagnostic& error) {
  return tl::unexpected(exec::Failure{exec::Failure::Kind::unsupported, error.message});
}

Outcome<std::vector<calls::CallList>> lists_of(const Plan& plan, calls::Products products) {
  Plan ordered = plan;
  const Result<MemoryPlan> memory = plan_memory(ordered, Reuse::ordered);
  if (!memory) return refused(memory.error());
  calls::CallOptions options;
  options.products = products;
  std::vector<calls::CallList> lists;
  for (int64_t position = 0; position < plan.mesh->device_count(); ++position) {
    Result<calls::CallList> list = calls::make_call_list(ordered, *memory, position, options);
    if (!list) return refused(list.error());
    lists.push_back(std::move(*list));
  }
  return lists;
}

Outcome<Times> time_part(const Plan& plan, const std::vector<calls::CallList>& lists, Part part, bool graph,
                         const RunSettings& settings) {
  std::vector<calls::CallList> some;
  for (const calls::CallList& list : lists) some.push_back(only(list, part));
  Outcome<TimedRanks> ranks = TimedRanks::start(plan, std::move(some), graph, settings);
  if (!ranks) return tl::unexpected(ranks.error());
  const std::vector<Tensor> globals = drawn_globals(plan);
  if (const Outcome<> stepped = ranks->step(globals); !stepped) return tl::unexpected(stepped.error());
  Outcome<Times> times = ranks->time(settings);
  if (const Outcome<> finished = ranks->finish(); !finished) return tl::unexpected(finished.error());
  return times;
}

std::string mesh_text(const Mesh& mesh) {
  std::string text;
  for (const MeshAxis& axis : mesh.axes()) {
    text += (text.empty() ? "" : ",") + axis.name + "=" + std::to_string(axis.size);
  }
  return text;
}

constexpr std::array kPartNames = {"both", "compute", "communication"};

}  // namespace

calls::CallList only(const calls::CallList& list, Part part) {
  calls::CallList some = list;
  std::erase_if(some.calls, [part](const calls::Call& call) {
    const bool communicates =
        std::holds_alternative<calls::Collective>(call.what) || std::holds_alternative<calls::Messages>(call.what);
    const bool orders =
        std::holds_alternative<calls::Record>(call.what) || std::holds_alternative<calls::Wait>(call.what);
    return !orders && part != Part::all && communicates != (part == Part::communication);
  });
  return some;
}

int64_t ranks_of(const ModelRequest& request) {
  const Module module = module_of(request);
  return module.program(module.checks.front().left).mesh().device_count();
}

void print_overlap_head() {
  std::printf("#%-15s %-24s %-6s %10s %10s %10s %10s %10s %10s %10s\n", "program", "mesh", "calls", "both", "p99",
              "compute", "p99", "comm", "p99", "exposed");
  std::printf("#%-15s %-24s %-6s %10s %10s %10s %10s %10s %10s %10s\n", "", "", "", "(us)", "(us)", "(us)", "(us)",
              "(us)", "(us)", "(us)");
}

Outcome<> measure_overlap(const ModelRequest& request, calls::Products products, const RunSettings& settings,
                          ordered_json& rows) {
  const Module module = module_of(request);
  const Plan plan = lower(module, module.checks.front().left);
  const Outcome<std::vector<calls::CallList>> lists = lists_of(plan, products);
  if (!lists) return tl::unexpected(lists.error());
  for (const bool graph : {false, true}) {
    ordered_json json{{"program", request.name}, {"mesh", mesh_text(*plan.mesh)}, {"graph", graph}};
    std::printf(" %-15s %-24s %-6s", request.name.c_str(), mesh_text(*plan.mesh).c_str(), graph ? "graph" : "eager");
    for (const Part part : kParts) {
      const Outcome<Times> times = time_part(plan, *lists, part, graph, settings);
      if (!times) return tl::unexpected(times.error());
      const std::string name = kPartNames[static_cast<size_t>(part)];
      json[name + "_us"] = times->median() * 1e6;
      json[name + "_p99_us"] = times->p99() * 1e6;
      std::printf(" %10.1f %10.1f", times->median() * 1e6, times->p99() * 1e6);
    }
    const double exposed = json["both_us"].get<double>() - json["compute_us"].get<double>();
    json["exposed_us"] = exposed;
    std::printf(" %10.1f\n", exposed);
    std::fflush(stdout);
    rows.push_back(std::move(json));
  }
  return {};
}

}  // namespace isoshard::bench
