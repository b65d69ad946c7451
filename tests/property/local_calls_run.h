#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ir/all_ops.h"
#include "core/plan/calls/writing/local_calls.h"
#include "core/value/tensor.h"

/// Runs local ops as a rank of exec does, in memory with arrays behind each other, by kernels that a CPU or
/// a GPU runs.
namespace isoshard::testing {

/// An op on arrays.
struct LocalCase {
  OpData op;
  std::vector<Tensor> operands;
};

/// The types of the results; nothing where inference rejects the op.
Inferred result_types(const LocalCase& c);

/// How the memory of a case is laid out.
struct MemoryLayout {
  int64_t shift = 0;      ///< elements that each array lies behind a place that is a multiple of 64
  bool in_place = false;  ///< the result lies where the first operand does
};

/// Compares the kernels' results with those of sim, bit for bit, and all other bytes with what they were; empty where
/// they agree, otherwise what differs, or what the emulator of kernels found. Where this is compiled with
/// ISOSHARD_WATCHED that also has each access of the kernels.
std::string difference(const LocalCase& c, const MemoryLayout& layout);

/// `add f32[2,3], f32[2,3]`.
std::string text_of(const LocalCase& c);

}  // namespace isoshard::testing
