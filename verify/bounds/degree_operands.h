#pragma once  // internal

#include <span>

#include "verify/bounds/degree_context.h"

namespace isoshard::verify {

/// The operands of one instruction and what moving their entries does to their degrees.
class DegreeOperands {
 public:
  DegreeOperands(const Instruction& instruction, InstructionId id, DegreeContext& context)
      : instruction_(instruction), id_(id), context_(context) {}

 protected:
  const Degree& operand(size_t n) const { return context_.values[instruction_.operands[n].index()]; }
  const Shape& shape(PlanValueId id) const { return context_.plan.value(id).type.shape; }

  /// Operand 0's entries elsewhere: which denominators meet is no longer known.
  Degree moved() const;
  /// The same denominators seen through this instruction, which moves entries, in this iteration.
  uint64_t moved_id(uint64_t id) const;
  /// Entries that differ along `dim`, too.
  static Degree varying_along(Degree d, int64_t dim);
  /// Entries that differ along every dimension of the result.
  Degree varying_everywhere(Degree d) const;
  /// The dimension `dim` in place of which those of indices stand; whoever differs along it differs along them.
  Degree picked(Degree d, int64_t dim, int64_t batch) const;
  /// Entries of the operands from `first` to before `last` side by side, or those of one of them.
  Degree joined(size_t first, size_t last) const;
  /// The weight of an integer that depends on inputs times x.
  static Degree weighted(Degree x, const Degree& integer);
  /// A sum over `rows` that an index may mean; of a known index one of them.
  Degree mixed(const Degree& x, const Degree& index, double rows) const;
  /// Operand 0, or what instructions of other rank groups bring.
  Degree from_all_ranks() const;

  const Instruction& instruction_;
  InstructionId id_;
  DegreeContext& context_;

 private:
  /// Entries of all of `values` side by side, moved.
  Degree side_by_side(std::span<const PlanValueId> values) const;
};

}  // namespace isoshard::verify
