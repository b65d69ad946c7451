// From a Plan to what its ranks issue. Buffers are used again only where the Plan orders that already: on devices a
// token is an event, and waiting for memory costs more than memory does. Ranks that issue the same, but for the
// position in the mesh, have equal texts, and are printed once. Cost: planning, and a list for each rank.
#include "command_line/commands/run_plan.h"

#include <map>

#include "core/plan/calls/print_calls.h"
#include "core/plan/calls/writing/make_call_list.h"
#include "core/plan/memory/plan_memory.h"
#include "core/support/result.h"

namespace isoshard::command_line {
namespace {

std::string devices_of(const Mesh& mesh) {
  std::string axes;
  for (const MeshAxis& axis : mesh.axes()) {
    axes += (axes.empty() ? "" : ", ") + axis.name + "=" + std::to_string(axis.size);
  }
  const int64_t count = mesh.device_count();
  return (axes.empty() ? "one device" : "the mesh @" + mesh.name() + " (" + axes + ")") + ", so that there " +
         (count == 1 ? "is one rank" : "are " + std::to_string(count) + " ranks");
}

bool check_ranks(const Plan& plan, const Settings& settings, DiagnosticSink& sink) {
  const int64_t count = plan.mesh->device_count();
  const std::string runs = "@" + plan.program + " is for " + devices_of(*plan.mesh);
  if (settings.ranks && *settings.ranks != count) {
    sink.error("I-ranks", {},
               "-n " + std::to_string(*settings.ranks) + ": " + runs + "; expected -n " + std::to_string(count) +
                   ", or another --mesh");
  }
  if (settings.rank && *settings.rank >= count) {
    sink.error(
        "I-ranks", {},
        "--rank " + std::to_string(*settings.rank) + ": " + runs + "; expected 0 to " + std::to_string(count - 1));
  }
  return !sink.has_errors();
}

/// `rank 3`, `ranks 0..3, 8`.
std::string ranks_text(const std::vector<int64_t>& ranks) {
  std::string text;
  for (size_t i = 0; i < ranks.size();) {
    size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(ranks[i]);
    if (last > i) text += ".." + std::to_string(ranks[last]);
    i = last + 1;
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + text;
}

}  // namespace

std::optional<std::vector<calls::CallList>> make_call_lists(const Plan& plan, const Settings& settings,
                                                            DiagnosticSink& sink, int& code) {
  code = kBadInput;
  if (!check_ranks(plan, settings, sink)) return std::nullopt;
  code = kUndecided;
  Plan ordered = plan;
  const Result<MemoryPlan> memory = plan_memory(ordered, Reuse::ordered);
  if (!memory) {
    sink.add(memory.error());
    return std::nullopt;
  }
  calls::CallOptions options;
  options.products = settings.products == "exact"     ? calls::Products::exact
                     : settings.products == "library" ? calls::Products::library
                                                      : calls::Products::tf32;
  options.fuse = settings.fuse == "on";
  std::vector<calls::CallList> lists;
  for (int64_t position = 0; position < plan.mesh->device_count(); ++position) {
    Result<calls::CallList> list = calls::make_call_list(ordered, *memory, position, options);
    if (!list) {
      sink.add(list.error());
      return std::nullopt;
    }
    lists.push_back(std::move(*list));
  }
  code = kHolds;
  return lists;
}

std::string calls_text(const Plan& plan, const std::vector<calls::CallList>& lists, const Settings& settings) {
  if (settings.rank) return calls::to_text(lists[static_cast<size_t>(*settings.rank)], plan);
  std::map<std::string, std::vector<int64_t>> ranks_of;
  std::vector<const std::string*> in_order;
  for (size_t rank = 0; rank < lists.size(); ++rank) {
    const auto [entry, is_new] = ranks_of.try_emplace(calls::to_text(lists[rank], plan));
    if (is_new) in_order.push_back(&entry->first);
    entry->second.push_back(static_cast<int64_t>(rank));
  }
  std::string text;
  for (const std::string* calls : in_order) {
    text += (text.empty() ? "" : "\n") + ranks_text(ranks_of[*calls]) + ":\n" + *calls;
  }
  return text;
}

}  // namespace isoshard::command_line
