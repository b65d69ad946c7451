#pragma once  // internal

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/elaborate/scope.h"
#include "core/text/plan/plan_text.h"
#include "core/text/syntax/parser.h"

namespace isoshard::text {

/// What a Plan file says before its groups of ranks.
struct PlanHeader {
  PlanFile file;                             ///< mesh, globals, outputs and communicators
  std::vector<std::string> queues;           ///< names by QueueId
  std::map<std::string, QueueId> queue_ids;  ///< by name
  std::vector<Location> outputs;             ///< where each is declared
};

/// Reads the words up to `stop`, or to the end of the line: names of queues and groups, which may have several words
/// and signs.
Word read_plain_name(TokenReader& reader, const std::shared_ptr<const SourceFile>& file, std::string_view stop,
                     const std::string& what);

/// Whether an item of a Plan file begins here.
bool starts_plan_item(const Token& token);

/// Reads the items of a Plan file before its groups: `plan`, `global`, `output`, `update`, `communicator`, in any order
/// but `plan` first, and `check`. Stops at the first function or group; reports errors.
///
/// Nothing where the mesh or a global is wrong, without which nothing else can be read.
std::optional<PlanHeader> read_plan_header(TokenReader& reader, const std::shared_ptr<const SourceFile>& file,
                                           DiagnosticSink& sink);

/// `check plan == @dense in "dense.shard"` from the word `check` on.
PlanCheck read_plan_check(TokenReader& reader, const std::shared_ptr<const SourceFile>& file);

}  // namespace isoshard::text
