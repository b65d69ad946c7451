#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/calls/call_list.h"
#include "core/plan/calls/issued.h"

namespace isoshard::calls {

/// What a rank is about.
enum class Phase : uint8_t {
  opening,  ///< it meets the others
  step,     ///< call by call
  capture,  ///< a step whose calls become a graph, which is then launched
  launch,   ///< a step that is one launch of the graph
};

/// A call that a list asks for.
struct ExpectedCall {
  IssuedCall issued;
  std::optional<size_t> call{};  ///< of the list; nothing for what frames a step
};

/// What a rank of `ranks` that issues `list` has to call, said by the list alone: no code is shared with what issues.
std::vector<ExpectedCall> expected_calls(const CallList& list, int64_t ranks, Phase phase);

/// Where what was issued is not what was expected.
struct IssueDifference {
  size_t position = 0;
  std::optional<size_t> call{};  ///< of the list, which was to be issued there or before
  std::string text;              ///< `issued ncclAllReduce with count 3, expected 2`
};

/// The first difference; where `ended` is false, more may have been about to come.
std::optional<IssueDifference> first_difference(const CallList& list, const std::vector<ExpectedCall>& expected,
                                                const std::vector<IssuedCall>& issued, bool ended);

/// `ncclAllReduce send arena+5888 receive arena+5888 count 1440 type ncclFloat32 op ncclSum on model stream comm
/// model`.
std::string to_text(const IssuedCall& issued, const CallList& list);

}  // namespace isoshard::calls
