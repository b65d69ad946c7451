#pragma once

#include <string>

#include "core/plan/calls/call_list.h"
#include "core/plan/plan.h"

namespace isoshard::calls {

/// The list as text, a line for each section, communicator and call (docs/spec/calls.md, "Text").
std::string to_text(const CallList& list, const Plan& plan);

/// A place by its section: `arena+5888`.
std::string place_text(Place place, const CallList& list);

/// Where a call comes from, for messages: `file:3:5: all_reduce %h`.
std::string origin_text(const Call& call, const Plan& plan);

}  // namespace isoshard::calls
