// Reads over which devices a communicator of a Plan file goes. Sets are as large as each other, since an instruction
// has one type on all ranks of its group. Cost: linear.
#include "core/text/plan/read/communicator_syntax.h"

#include <string>

#include "core/text/plan/read/plan_tokens.h"

namespace isoshard::text {
namespace {

/// Sets are looked through for each rank, which would take long.
constexpr size_t kMostPositions = 4096;

std::vector<int64_t> parse_set(TokenReader& reader) {
  reader.expect("{", "and the positions of a set, as in {{0,3},{1,2}}");
  std::vector<int64_t> set{read_count(reader, "a position of the mesh")};
  while (reader.accept(",")) set.push_back(read_count(reader, "a position of the mesh"));
  reader.expect("}", "or `,` after the position");
  return set;
}

/// What is wrong with the sets; "" where they are sets.
std::string wrong_sets(const std::vector<std::vector<int64_t>>& sets, int64_t devices) {
  if (sets.size() * sets[0].size() > kMostPositions) {
    return "the sets have more than " + std::to_string(kMostPositions) +
           " positions; expected fewer, or axes of the mesh";
  }
  std::vector<bool> taken(static_cast<size_t>(devices), false);
  for (const std::vector<int64_t>& set : sets) {
    if (set.size() != sets[0].size()) {
      return "a set of size " + std::to_string(set.size()) + ", the first one of size " +
             std::to_string(sets[0].size()) + "; expected sets of one size";
    }
    for (const int64_t position : set) {
      const std::string text = "position " + std::to_string(position);
      if (position >= devices) {
        return text + " of " + std::to_string(devices) + "; expected 0 to " + std::to_string(devices - 1);
      }
      if (taken[static_cast<size_t>(position)]) return text + " is in the sets twice; expected it at most once";
      taken[static_cast<size_t>(position)] = true;
    }
  }
  return "";
}

}  // namespace

CommunicatorSyntax parse_communicator(TokenReader& reader) {
  CommunicatorSyntax syntax;
  const Span begin = reader.peek().span;
  if (reader.accept("(")) {
    if (!reader.accept(")")) syntax.axes = parse_words(reader, ")", "an axis, as in (data, model)");
  } else if (reader.accept("{")) {
    syntax.sets.push_back(parse_set(reader));
    while (reader.accept(",")) syntax.sets.push_back(parse_set(reader));
    reader.expect("}", "or `,` after the set");
  } else {
    syntax.axes.push_back(
        reader.expect_kind(TokenKind::name, "an axis, a tuple of axes or sets of positions, as in {{0,3},{1,2}}"));
  }
  syntax.span = begin.to(reader.last().span);
  return syntax;
}

std::optional<Communicator> read_communicator(const CommunicatorSyntax& syntax, const Scope& scope) {
  if (syntax.sets.empty()) {
    const std::optional<Group> group = scope.group(syntax.axes);
    return group ? std::optional(Communicator{*group, {}, {}}) : std::nullopt;
  }
  const std::string wrong = wrong_sets(syntax.sets, scope.mesh().device_count());
  if (wrong.empty()) return Communicator{{}, {}, syntax.sets};
  scope.error("L-group", syntax.span, wrong);
  return std::nullopt;
}

}  // namespace isoshard::text
