#include "verify/updates.h"

#include <algorithm>

namespace isoshard::verify {
namespace {

/// Two updates of `program` have the origin of `update`.
bool shares_origin(const Check& check, const Output& update, const Program& program) {
  return std::count_if(program.updates().begin(), program.updates().end(), [&](const Output& other) {
           return origin(check, other.updates) == origin(check, update.updates);
         }) > 1;
}

/// What `a` updates and `b` does not.
void check_updated(const Module& module, const Program& a, const Program& b, const Check& check, DiagnosticSink& sink) {
  for (const Output& update : a.updates()) {
    const Output* other = counterpart(check, update, b.updates());
    if (other != nullptr && other->type == update.type && !shares_origin(check, update, a)) continue;
    if (other != nullptr) {
      sink.error("C-updates", check.location,
                 "check: a map makes @" + update.name + " a part of @" +
                     module.global(origin(check, update.updates)).name +
                     ", and both are updated; expected maps of whole globals, or `return` what shall be compared")
          .note(update.parts.front().location, "@" + update.name + " is updated here");
      continue;
    }
    sink.error("C-updates", check.location,
               "check: @" + a.name() + " updates @" + update.name + ", @" + b.name() +
                   " does not; expected both to update the same globals")
        .note(update.parts.front().location, "@" + update.name + " is updated here");
  }
}

}  // namespace

GlobalId origin(const Check& check, GlobalId global) {
  for (const GlobalMap& map : check.maps) {
    if (map.global == global) return map.source;
  }
  return global;
}

const Output* counterpart(const Check& check, const Output& output, const std::vector<Output>& others) {
  const auto same = [&](const Output& other) {
    if (other.updates.valid() != output.updates.valid()) return false;
    return output.updates.valid() ? origin(check, output.updates) == origin(check, other.updates)
                                  : output.name == other.name;
  };
  const auto found = std::find_if(others.begin(), others.end(), same);
  return found == others.end() ? nullptr : &*found;
}

bool check_updates(const Module& module, const Check& check, DiagnosticSink& sink) {
  const size_t before = sink.error_count();
  const Program &left = module.program(check.left), &right = module.program(check.right);
  check_updated(module, left, right, check, sink);
  check_updated(module, right, left, check, sink);
  return sink.error_count() == before;
}

}  // namespace isoshard::verify
