// The command `memory`: what each group of devices holds at the most while it runs the Plan
// (docs/adr/0025-memory-of-a-plan.md), where that is, and what is held then, the largest values first and the rest as
// one line. Behind that stand the arena that its buffers take, as the Plan orders their uses and with tokens that do so
// (docs/adr/0050-buffers.md), the globals that a rank holds from step to step and whether their updates are where the
// next step needs them, and the multiplications of its products. Nothing is run. Text and JSON say the same. A
// loop is told by the number of its iterations, as the peak may lie inside of it. Numbers are whole bytes, with the
// rounded size in front of them.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "command_line/json_output.h"
#include "command_line/load_plan.h"
#include "command_line/terminal.h"
#include "core/plan/flops.h"
#include "core/plan/memory/live_memory.h"
#include "core/plan/memory/plan_memory.h"
#include "core/plan/memory/residents.h"
#include "core/plan/passes/lower.h"
#include "core/support/byte_size.h"
#include "core/support/result.h"
#include "core/text/print/json_fields.h"
#include "library/load/load.h"

namespace isoshard::command_line {
namespace {

constexpr size_t kMostListed = 8;

std::string whole(double number) {
  char text[48];
  std::snprintf(text, sizeof text, "%.0f", number);
  return text;
}

/// `5.25 MiB (5505024 bytes)`.
std::string bytes_text(double bytes) {
  return bytes < 1024 ? whole(bytes) + " bytes" : binary_size(bytes) + " (" + whole(bytes) + " bytes)";
}

std::string group_devices_text(const Plan& plan, const RankGroup& group) {
  const int64_t count = group.size(*plan.mesh);
  std::string text = std::to_string(count) + (count == 1 ? " device" : " devices");
  return plan.groups.size() == 1 ? text : "group " + group.name + ", " + text;
}

std::string typed(const Plan& plan, PlanValueId id) {
  const PlanValue& value = plan.value(id);
  return "%" + value.name() + "  " + to_string(value.type());
}

/// Where the most is held.
std::string place_text(const Plan& plan, const MemoryPeak& peak) {
  if (!peak.instruction) {
    return peak.loop == nullptr ? "" : "  at   the start of a scan, " + peak.loop->location.to_string() + "\n";
  }
  const Instruction& at = plan.instruction(*peak.instruction);
  std::string text = "  at   " + at.op();
  if (!at.results.empty()) text += ", %" + plan.value(at.results[0]).name();
  text += ", " + at.location().to_string();
  if (peak.loop == nullptr) return text + "\n";
  return text + ", in a scan of " + std::to_string(peak.loop->count) + " iterations\n";
}

std::string held_text(const Plan& plan, const MemoryPeak& peak) {
  std::string text;
  double rest = 0;
  for (size_t i = 0; i < peak.held.size(); ++i) {
    const HeldValue& value = peak.held[i];
    if (i >= kMostListed) {
      rest += value.bytes;
      continue;
    }
    char line[32];
    std::snprintf(line, sizeof line, "  %12.0f  ", value.bytes);
    text += line + typed(plan, value.value);
    if (value.global) text += "  a block of @" + plan.globals[value.global->index()].name;
    text += "\n";
  }
  if (peak.held.size() <= kMostListed) return text;
  char line[64];
  std::snprintf(line, sizeof line, "  %12.0f  %zu more\n", rest, peak.held.size() - kMostListed);
  return text + line;
}

/// The buffers of a Plan, with each kind of reuse.
struct Arenas {
  Result<MemoryPlan> ordered;
  Result<MemoryPlan> tokens;
};

Arenas arenas_of(Plan plan) {
  Result<MemoryPlan> ordered = plan_memory(plan, Reuse::ordered);
  return {std::move(ordered), plan_memory(plan, Reuse::tokens)};
}

std::string arena_text(const Arenas& arenas, size_t group) {
  if (!arenas.ordered) return "  arena none: " + arenas.ordered.error().message + "\n";
  const auto bytes = [&](const MemoryPlan& memory) {
    return bytes_text(static_cast<double>(memory.groups[group].bytes));
  };
  return "  arena " + bytes(*arenas.ordered) + "; where tokens order reuse " + bytes(*arenas.tokens) + "\n";
}

/// Whether what a rank holds of a global is there for the next step.
std::string next_step_text(const Resident& resident) {
  if (resident.next == NextStep::same) return "";
  if (resident.next == NextStep::stays) return resident.in_place ? "  updated in place" : "  updated";
  const MovedBlock& moved = *resident.moved;
  std::string text("  moves: in the next step rank ");
  text += std::to_string(moved.position) + " loads " + to_string(moved.range);
  return text + ", which it does not store";
}

std::string resident_text(const Plan& plan, const RankGroup& group) {
  const std::optional<std::vector<Resident>> residents = residents_of(plan, group);
  if (!residents) return "  resident not counted: more than 2^22 blocks\n";
  std::string text;
  double sum = 0;
  for (const Resident& resident : *residents) {
    sum += resident.bytes;
    char line[32];
    std::snprintf(line, sizeof line, "  %12.0f  @", resident.bytes);
    text += line + plan.globals[resident.global.index()].name + next_step_text(resident) + "\n";
  }
  return "  resident " + bytes_text(sum) + "\n" + text;
}

Json resident_json(const Plan& plan, const RankGroup& group) {
  const std::optional<std::vector<Resident>> residents = residents_of(plan, group);
  if (!residents) return nullptr;
  Json json = Json::array();
  for (const Resident& resident : *residents) {
    const char* const next = resident.next == NextStep::same ? "same" : resident.moved ? "moves" : "stays";
    json.push_back(Json{{"global", plan.globals[resident.global.index()].name},
                        {"bytes", resident.bytes},
                        {"next", next},
                        {"in_place", resident.in_place}});
    if (!resident.moved) continue;
    const MovedBlock& moved = *resident.moved;
    json.back()["moved"] = Json{{"rank", moved.position}, {"begin", moved.range.begin}, {"end", moved.range.end}};
  }
  return json;
}

std::string group_text(const Plan& plan, size_t index, const Arenas& arenas) {
  const RankGroup& group = plan.groups[index];
  const MemoryPeak peak = memory_peak(plan, group);
  std::string text = "@" + plan.program + ", memory of each of " + group_devices_text(plan, group) + ":\n";
  text += "  peak " + bytes_text(peak.bytes) + ": blocks of globals " + whole(peak.globals) + ", other values " +
          whole(peak.bytes - peak.globals) + "\n";
  text += place_text(plan, peak) + held_text(plan, peak) + arena_text(arenas, index);
  text += resident_text(plan, group);
  return text + "  products (dot_general): " + whole(matmul_flops(plan, group)) + " multiplications and additions\n";
}

Json peak_json(const Plan& plan, const MemoryPeak& peak) {
  Json json{{"bytes", peak.bytes}, {"globals", peak.globals}, {"values", peak.bytes - peak.globals}};
  json["at"] = nullptr;
  if (peak.instruction) {
    const Instruction& at = plan.instruction(*peak.instruction);
    json["at"] = Json{{"instruction", peak.instruction->index()},
                      {"op", at.op()},
                      {"location", text::location_to_json(at.location())}};
  } else if (peak.loop != nullptr) {
    json["at"] = Json{{"op", "scan"}, {"location", text::location_to_json(peak.loop->location)}};
  }
  if (peak.loop != nullptr) json["iterations"] = peak.loop->count;
  json["held"] = Json::array();
  for (const HeldValue& value : peak.held) {
    const PlanValue& held = plan.value(value.value);
    json["held"].push_back(Json{{"name", held.name()}, {"type", to_string(held.type())}, {"bytes", value.bytes}});
    if (value.global) json["held"].back()["global"] = plan.globals[value.global->index()].name;
  }
  return json;
}

Json arena_json(const Result<MemoryPlan>& memory, size_t group) {
  if (!memory) return nullptr;
  return Json{{"bytes", memory->groups[group].bytes}, {"live", memory->groups[group].live}};
}

Json group_json(const Plan& plan, size_t index, const Arenas& arenas) {
  const RankGroup& group = plan.groups[index];
  Json json;
  if (!group.name.empty()) json["group"] = group.name;
  json["devices"] = group.size(*plan.mesh);
  if (!group.positions.empty()) json["positions"] = group.positions;
  json["peak"] = peak_json(plan, memory_peak(plan, group));
  json["arena"] = {{"ordered", arena_json(arenas.ordered, index)}, {"tokens", arena_json(arenas.tokens, index)}};
  json["resident"] = resident_json(plan, group);
  json["matmul_flops"] = matmul_flops(plan, group);
  return json;
}

std::string memory_answer(const Plan& plan, const Settings& settings) {
  std::string text;
  const Arenas arenas = arenas_of(plan);
  if (!settings.json) {
    for (size_t group = 0; group < plan.groups.size(); ++group) text += group_text(plan, group, arenas);
    return text;
  }
  Json json = json_envelope(kHolds);
  json["input"] = settings.inputs[0];
  json["program"] = plan.program;
  json["memory"] = Json::array();
  for (size_t group = 0; group < plan.groups.size(); ++group) {
    json["memory"].push_back(group_json(plan, group, arenas));
  }
  return text::json_to_text(json);
}

std::optional<Plan> planned(const Settings& settings, DiagnosticSink& sink) {
  if (library::is_plan(settings.inputs[0])) {
    std::optional<text::PlanFile> file = load_plan(settings.inputs[0], settings, sink);
    return file ? std::optional(std::move(file->plan)) : std::nullopt;
  }
  const std::optional<Module> module = library::load(settings.inputs[0], settings, sink);
  if (!module) return std::nullopt;
  const std::optional<ProgramId> program = library::choose_program(*module, settings.inputs[0], settings, sink);
  if (!program) return std::nullopt;
  return lower(*module, *program);
}

}  // namespace

int run_memory(const Settings& settings) {
  DiagnosticSink sink;
  const std::optional<Plan> plan = planned(settings, sink);
  print_diagnostics(sink.diagnostics(), settings.color);
  if (plan) return write_out(memory_answer(*plan, settings)) ? kHolds : kBadInput;
  Json json = json_envelope(kBadInput);
  json["diagnostics"] = to_json(sink.diagnostics());
  if (settings.json) write_out(text::json_to_text(json));
  return kBadInput;
}

}  // namespace isoshard::command_line
