#pragma once

#include "core/ir/ops/select.h"

namespace isoshard {

/// The direction in which y and x compare as x and y do in this one: `y > x` says what `x < y` says.
constexpr Direction reversed(Direction direction) {
  switch (direction) {
    case Direction::lt:
      return Direction::gt;
    case Direction::le:
      return Direction::ge;
    case Direction::gt:
      return Direction::lt;
    case Direction::ge:
      return Direction::le;
    case Direction::none:
    case Direction::eq:
    case Direction::ne:
      break;
  }
  return direction;
}

}  // namespace isoshard
