#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/plan/plan.h"
#include "verify/facts/readers.h"

namespace isoshard::verify {

using InstructionTest = std::function<bool(const Instruction&)>;
using OperandTest = std::function<bool(const Instruction&, size_t operand)>;
using TypeTest = std::function<bool(const TensorType&)>;

/// Per value of `plan`: whether it is a result of some `source`, or of what reads such a value, also through rounds of
/// a loop and instructions that `passes`. Only values whose type `carries` count. Empty tests hold. Of more than one
/// step: also through updates, to what reads the global in the next one.
std::vector<bool> reached_from(const Plan& plan, const InstructionTest& source, const TypeTest& carries = {},
                               const InstructionTest& passes = {}, int64_t steps = 1);
/// The same of a Plan whose readers are known: for several walks.
std::vector<bool> reached_from(const Readers& readers, const InstructionTest& source, const TypeTest& carries = {},
                               const InstructionTest& passes = {}, int64_t steps = 1);

/// The values reached from `sources` in one step, each once: at the cost of these values, and a bit for all others.
std::vector<PlanValueId> values_reached(const Readers& readers, const std::vector<InstructionId>& sources,
                                        const InstructionTest& passes);

/// Per value of `plan`: whether some `sink` reads it, or what makes such a value, also through rounds of a loop. Only
/// operands that `passes` (empty: all) count.
std::vector<bool> reaching(const Plan& plan, const InstructionTest& sink, const OperandTest& passes = {});

}  // namespace isoshard::verify
