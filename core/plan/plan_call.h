#pragma once

#include <string>

#include "core/plan/plan_ids.h"

namespace isoshard {

/// A call of a function that is written out in a Plan: its instructions say that they are part of it.
///
/// Micro-batches of a pipeline share what they do, and with it the call; their actions tell them apart.
struct PlanCall {
  std::string function;    ///< without `@`
  std::string name;        ///< what names of its values begin with, before a dot; in an action behind the text of that
  bool in_action = false;  ///< of a pipeline
  CallId outer;            ///< the call that it stands in; invalid: none
};

}  // namespace isoshard
