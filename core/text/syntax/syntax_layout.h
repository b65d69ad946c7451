#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/text/syntax/syntax_expression.h"

namespace isoshard::text {

/// One entry of a layout: `-`, `model-k`, `(data, model)`, `EXPR of COUNT`; `stack` or `uneven` may stand before it.
struct EntrySyntax {
  std::string split;       ///< `stack`, `uneven`, or empty
  std::vector<Word> axes;  ///< empty for `-` and EXPR of COUNT
  std::optional<Expr> offset;
  std::optional<Expr> index, count;  ///< both or none
  Span span;
};

struct LayoutSyntax {
  std::vector<EntrySyntax> entries;
  Span span;
};

/// `2:8`, `2:`, `:8` or `:`, a part of one dimension of a block.
struct PartSyntax {
  std::optional<Expr> start, limit;
};

/// `model=0` after `only`.
struct OwnerSyntax {
  Word axis;
  Expr coordinate;
};

/// What stands behind the layout of a view: `[0:8, :] only data=0 as I{model} times 2`, all optional.
struct ViewSyntax {
  std::vector<PartSyntax> range;
  std::vector<OwnerSyntax> only;
  std::vector<Word> invariant;
  bool incomplete = false;
  std::optional<Expr> times;
};

}  // namespace isoshard::text
