// Which updates of two programs belong together. Globals that a map starts as one count as one; results are matched by
// name. Both programs must update the same globals, of one type, and none may update two globals that begin as one,
// because what the next step reads would then be different things. Each error names both programs and the place of the
// update. Cost: the product of both numbers, which are small.
#include "verify/facts/updates.h"

#include <algorithm>

namespace isoshard::verify {
namespace {

/// Two updated globals of `program` that a map starts as one; or nothing.
const Output* shares_origin(const Check& check, const Output& update, const Program& program) {
  for (const Output& other : program.updates()) {
    if (other.updates != update.updates && origin(check, other.updates) == origin(check, update.updates)) return &other;
  }
  return nullptr;
}

void complain(const Output& update, const Check& check, const std::string& message, DiagnosticSink& sink) {
  sink.error("C-updates", check.location, "check: " + message)
      .note(update.parts.front().location, "@" + update.name + " is updated here");
}

/// What `a` updates and `b` does not, or not alike.
void check_updated(const Program& a, const Program& b, const Check& check, DiagnosticSink& sink) {
  for (const Output& update : a.updates()) {
    const Output* other = counterpart(check, update, b.updates());
    const std::string name = "@" + update.name;
    if (const Output* same = shares_origin(check, update, a)) {
      complain(update, check,
               "@" + a.name() + " updates " + name + " and @" + same->name +
                   ", which a map starts as one; expected one of them",
               sink);
    } else if (other == nullptr) {
      complain(update, check,
               "@" + a.name() + " updates " + name + ", @" + b.name() +
                   " does not; expected both to update the same globals",
               sink);
    } else if (!(other->type == update.type)) {
      complain(update, check,
               "@" + a.name() + " updates " + name + " and @" + b.name() + " updates @" + other->name +
                   ", of which a map makes one a part of the other; expected maps of whole globals, or `return` what "
                   "shall be compared",
               sink);
    }
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
  check_updated(left, right, check, sink);
  check_updated(right, left, check, sink);
  return sink.error_count() == before;
}

}  // namespace isoshard::verify
