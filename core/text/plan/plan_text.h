#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/support/diagnostic.h"

namespace isoshard {

struct PlanPrintOptions {
  /// Calls that are written alike are lines that invoke a function, where that makes the text shorter.
  bool functions = true;
};

/// The text of a Plan (docs/spec/plan.md, "Text"), first line `isoshard-plan 1`: one line per instruction, queue by
/// queue, rank-dependent fields as expressions over coordinates. It is the whole Plan but for locations: reading it
/// gives the Plan again, and the same text.
///
/// `#7` names instruction 7 (numbers ascend in issue order), `after #7` is a token, `frees %x` a last use. Names of
/// values, queues and groups that are taken or hold signs that the text cannot have are changed.
std::string print(const Plan& plan, const PlanPrintOptions& options = {});

namespace text {

/// `check plan == @dense in "dense.shard"` of a Plan file: the claim that the Plan computes what a program does.
struct PlanCheck {
  std::string program;  ///< without `@`
  std::string file;     ///< beside the Plan file
  Location location;
};

/// What a Plan file says.
struct PlanFile {
  Plan plan;
  std::vector<PlanCheck> checks{};
};

/// Reads the text of a Plan and verifies it (core/plan/verify/verify_plan.h); nothing after an error.
///
/// Errors have their place in the file: P-... and E-... as in `.shard` files, L-type for types that do not fit, L-frees
/// for last uses that are not those of the order, L-limit for a Plan that takes too long to verify, L-... for
/// invariants. A file without any `frees` gets its last uses from set_last_uses. Instructions are located by their
/// lines in the file.
std::optional<PlanFile> read_plan(const std::shared_ptr<const SourceFile>& file, DiagnosticSink& sink);

/// The Plan, then its checks; reading it gives the same text again.
std::string print(const PlanFile& file, const PlanPrintOptions& options = {});

}  // namespace text
}  // namespace isoshard
