#pragma once

#include <string_view>

#include "core/plan/plan.h"

namespace isoshard {

/// The op of programs that an instruction of a Plan usually comes from: `view` of a LoadBlock, `slice_block` of a
/// TakeBlock. Others say so in Instruction::op.
std::string_view instruction_op(const InstructionData& data, const Plan& plan);

/// The word of an instruction in the text of a Plan: `load`, `take_block`, `all_reduce`, the name of a local op.
std::string_view instruction_word(const InstructionData& data);

/// An instruction without operands and fields by that word; for another word one that holds nothing, std::nullopt.
/// Local ops are none of these.
std::optional<InstructionData> instruction_of(std::string_view word);

/// The op of programs that a collective is.
std::string_view collective_op(CollectiveKind kind);

}  // namespace isoshard
