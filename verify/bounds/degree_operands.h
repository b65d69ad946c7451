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
  const Shape& shape(PlanValueId id) const { return context_.plan.value(id).type().shape; }

  /// The result holds operand 0's entries at other places: which denominators meet there is no longer known.
  Degree moved() const;
  /// The id of the same denominators after this instruction, which moves entries, has moved them in this iteration.
  uint64_t moved_id(uint64_t id) const;
  /// The entries of `d` differ along `dim` as well from now on.
  static Degree varying_along(Degree d, int64_t dim);
  /// The entries of `d` differ along every dimension of the result from now on.
  Degree varying_everywhere(Degree d) const;
  /// `d` after a lookup along `dim`: the dimensions of the indices stand in the place of `dim`. Entries that
  /// differed along `dim` differ along all of these.
  Degree picked(Degree d, int64_t dim, int64_t batch) const;
  /// Each entry of the result is one of the operands from `first` to before `last`, or a choice between them.
  Degree joined(size_t first, size_t last) const;
  /// The product of x and the weight of an integer that depends on inputs.
  static Degree weighted(Degree x, const Degree& integer);
  /// A lookup of one of `rows` entries: a weighted sum of all where the index depends on inputs, else one of them.
  Degree mixed(const Degree& x, const Degree& index, double rows) const;
  /// Each entry is one of operand 0, or of what instructions of other rank groups bring.
  Degree from_all_ranks() const;

  Instruction instruction_;
  InstructionId id_;
  DegreeContext& context_;

 private:
  /// Entries of all of `values` side by side, moved.
  Degree side_by_side(std::span<const PlanValueId> values) const;
};

}  // namespace isoshard::verify
