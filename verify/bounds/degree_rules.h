#pragma once  // internal

#include "verify/bounds/degree_context.h"

namespace isoshard::verify {

/// The degree of the results of `instruction`, neither a LoadBlock nor a StoreBlock, from those of its operands
/// (equivalence.md 2); what opaque functions are applied to is added to the counts.
Degree degree_of(const Instruction& instruction, InstructionId id, DegreeContext& context);

/// The degree of an opaque function of `argument`, a result of `instruction`, which is added to the counts.
Degree opaque_result(const Degree& argument, const Instruction& instruction, DegreeContext& context);

}  // namespace isoshard::verify
