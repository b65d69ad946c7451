#pragma once  // internal

#include "verify/bounds/degree_operands.h"

namespace isoshard::verify {

/// The degrees of the results of ops that move entries.
class DegreeMovement : protected DegreeOperands {
 public:
  using DegreeOperands::DegreeOperands;

  Degree operator()(const BroadcastInDim& op);
  Degree operator()(const Reshape&);
  Degree operator()(const Transpose& op);
  Degree operator()(const Slice&);
  Degree operator()(const Reverse&);
  Degree operator()(const Iota&);
  Degree operator()(const Concatenate& op);
  Degree operator()(const Pad&);
  Degree operator()(const DynamicSlice&);
  /// The block has a place along those dimensions that it does not fill.
  Degree operator()(const DynamicUpdateSlice&);
  Degree operator()(const Gather& op);
  /// The worst case: all updates of one batch index meet in one entry.
  Degree operator()(const ScatterAdd& op);
};

}  // namespace isoshard::verify
