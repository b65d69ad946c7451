// Finds values and globals that serve nothing. A value is used when it reaches a result, an update or an assert_equal;
// one walk back over the ops of each body says which do, as a region stands before its op. Of a chain that leads
// nowhere only the end is told. What is written once may be elaborated often, in loops, for several calls and in
// derivatives: a place is told only where no copy of it is used, as the last turn of a loop may compute for a next one.
// Cost: one visit per op.
#include "verify/warnings/unused.h"

#include <map>
#include <string>
#include <tuple>

namespace isoshard::verify {
namespace {

using Place = std::tuple<std::string, uint32_t, uint32_t>;

Place place_of(const Location& location) { return {std::string(location.file()), location.line(), location.column()}; }

/// Which values of one body are used, and which are read at all.
class Uses {
 public:
  explicit Uses(const Program& program) : used_(program.value_count()), read_(program.value_count()) {
    mark(program.body().results);
    for (const auto* outputs : {&program.outputs(), &program.updates()}) {
      for (const Output& output : *outputs) {
        for (const ReturnPart& part : output.parts) mark({part.value});
      }
    }
    for (size_t i = program.op_count(); i-- > 0;) visit(program.op(OpId(i)));
  }

  bool is_used(const Op& op) const { return std::holds_alternative<AssertEqual>(op.data) || any(op.results, used_); }
  /// Nothing reads what `op` makes.
  bool ends_a_chain(const Op& op) const { return !any(op.results, read_); }

 private:
  void visit(const Op& op) {
    for (const ValueId id : op.operands) read_[id.index()] = true;
    for (const Region& region : op.regions) {
      for (const ValueId id : region.results) read_[id.index()] = true;
    }
    if (!is_used(op)) return;
    mark(op.operands);
    for (const Region& region : op.regions) mark(region.results);
  }

  void mark(const std::vector<ValueId>& values) {
    for (const ValueId id : values) used_[id.index()] = read_[id.index()] = true;
  }

  static bool any(const std::vector<ValueId>& values, const std::vector<bool>& flags) {
    for (const ValueId id : values) {
      if (flags[id.index()]) return true;
    }
    return false;
  }

  std::vector<bool> used_, read_;
};

bool stands_in_a_text(const Op& op) { return !op.location.source_line().empty(); }

std::string result_names(const Program& program, const Op& op) {
  std::string names;
  for (const ValueId id : op.results) names += (names.empty() ? "%" : ", %") + program.value(id).name;
  return names;
}

std::vector<bool> touched_globals(const Module& module) {
  std::vector<bool> touched(module.globals.size());
  for (const Program& program : module.programs) {
    for (size_t i = 0; i < program.op_count(); ++i) {
      if (const View* view = std::get_if<View>(&program.op(OpId(i)).data)) touched[view->global.index()] = true;
    }
    for (const Output& update : program.updates()) touched[update.updates.index()] = true;
  }
  for (const Check& check : module.checks) {
    for (const GlobalMap& map : check.maps) touched[map.global.index()] = touched[map.source.index()] = true;
  }
  return touched;
}

}  // namespace

std::vector<Diagnostic> unused_values(const Module& module) {
  std::map<Place, Diagnostic> unused;
  std::map<Place, bool> used;
  for (const Program& program : module.programs) {
    const Uses uses(program);
    for (size_t i = 0; i < program.op_count(); ++i) {
      const Op& op = program.op(OpId(i));
      if (!stands_in_a_text(op)) continue;
      const Place place = place_of(op.location);
      if (uses.is_used(op)) used[place] = true;
      if (uses.is_used(op) || !uses.ends_a_chain(op)) continue;
      const std::string names = result_names(program, op);
      unused.try_emplace(place, Diagnostic{Severity::warning,
                                           "W-unused-value",
                                           op.location,
                                           names + (op.results.size() == 1 ? " reaches" : " reach") +
                                               " no output of @" + program.name() + "; return it, or leave it out",
                                           {}});
    }
  }
  std::vector<Diagnostic> result;
  for (auto& [place, warning] : unused) {
    if (!used.contains(place)) result.push_back(std::move(warning));
  }
  return result;
}

std::vector<Diagnostic> unused_globals(const Module& module) {
  std::vector<Diagnostic> result;
  const std::vector<bool> touched = touched_globals(module);
  for (size_t g = 0; g < touched.size(); ++g) {
    if (touched[g]) continue;
    const Global& global = module.globals[g];
    result.push_back({Severity::warning,
                      "W-unused-global",
                      global.location,
                      "no program reads @" + global.name + "; add a `view` of it, or leave it out",
                      {}});
  }
  return result;
}

}  // namespace isoshard::verify
