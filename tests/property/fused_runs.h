#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/plan/calls/call_list.h"
#include "core/plan/calls/held.h"
#include "core/plan/memory/memory_plan.h"
#include "core/plan/plan.h"
#include "tests/property/generator/dice.h"

/// Runs the calls of a rank, fused or one op after another, one by one on a CPU.
namespace isoshard::testing {

/// The Plan of program @p of a text; a failure of the test and nothing where the text is wrong.
std::optional<Plan> plan_of(const std::string& text);

/// The calls of rank 0.
calls::CallList list_of(const Plan& plan, const MemoryPlan& memory, bool fuse,
                        calls::Products products = calls::Products::exact);

template <class What>
size_t count_of(const calls::CallList& list) {
  size_t count = 0;
  for (const calls::Call& call : list.calls) count += std::holds_alternative<What>(call.what);
  return count;
}

/// The bytes of all outputs after the calls have run, one after another, in memory that began as `dice` says.
std::vector<std::byte> run(const Plan& plan, const calls::CallList& list, Dice dice);

/// What the emulator of kernels found wrong since it was asked last, or nothing. Where this is compiled with
/// ISOSHARD_WATCHED that also has accesses of fused kernels beside what their calls name.
std::string take_finding();

/// A program @p on rows of a `dtype`, @x, with lines of ops that end with %y, which is returned along its dimensions.
std::string rows(const std::string& dtype, int64_t columns, const std::string& ops,
                 const std::string& returned = "[-, -]");
/// A line that makes `name` of the elements of `of`, one a row.
std::string along_rows(const std::string& name, const std::string& of, int64_t columns);

}  // namespace isoshard::testing
