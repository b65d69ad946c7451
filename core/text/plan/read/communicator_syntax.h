#pragma once  // internal

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/communicator.h"
#include "core/text/elaborate/scope.h"
#include "core/text/syntax/parser.h"

namespace isoshard::text {

/// Groups of devices as they are written: `model`, `(data, model)` or `{{0,3},{1,2}}`.
struct CommunicatorSyntax {
  std::vector<Word> axes;
  std::vector<std::vector<int64_t>> sets;
  Span span;
};

CommunicatorSyntax parse_communicator(TokenReader& reader);

/// The groups on the mesh of `scope`, on no queue yet; nothing after an error, `L-group` for sets that are no sets.
std::optional<Communicator> read_communicator(const CommunicatorSyntax& syntax, const Scope& scope);

}  // namespace isoshard::text
