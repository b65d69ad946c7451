#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::sim {

/// A list of blocks that queues go through: a group's, or the body of a repeat.
struct Scope {
  const std::vector<Block>* blocks = nullptr;
  const Repeat* repeat = nullptr;      ///< null: a group's
  const Scope* parent = nullptr;       ///< null: a group's
  size_t block = 0;                    ///< of the repeat in the parent
  size_t depth = 0;                    ///< loops around what is inside
  std::vector<const Scope*> around{};  ///< the scopes from the group's to this one, outermost first
  std::vector<const Scope*> bodies{};  ///< per block: that of its repeat, or null
  std::vector<bool> entered{};         ///< per queue: whether it goes through the body
  size_t entering = 0;                 ///< how many do
  std::vector<const Scope*> idle{};    ///< bodies that no queue goes through, as they have nothing to do

  int64_t count() const { return repeat == nullptr ? 1 : repeat->count; }
};

/// Where an instruction stands.
struct InstructionPlace {
  const Scope* scope = nullptr;
  uint32_t block = 0;
  uint32_t queue = 0;
  uint32_t index = 0;  ///< in the queue, within the block
};

/// What a repeat does with a value.
struct LoopUse {
  enum class Kind : uint8_t { initial, stacked, yield, part };
  Kind kind = Kind::initial;
  const Scope* body = nullptr;
  size_t index = 0;  ///< of the carried or stacked value
};

}  // namespace isoshard::sim
