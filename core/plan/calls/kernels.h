#pragma once

#include <cstdint>
#include <type_traits>

#include "core/plan/calls/step_op.h"
#include "core/value/dtype.h"

/// What the kernels of exec are told, as plain data that a GPU takes by value: this header is also compiled by nvcc, as
/// C++17, and has no pointers, containers or functions with code.
namespace isoshard::calls {

/// Most dimensions that a kernel goes through, after neighbours that lie behind each other in memory became one.
inline constexpr int kMostDims = 8;

/// Bytes from the beginning of the memory of a rank.
using Place = int64_t;

/// Where elements are: that at indices i lies at `place` + bytes of the dtype · sum of stride[d] · i[d].
struct Array {
  Place place = 0;
  DType dtype = DType::f32;
  int64_t stride[kMostDims]{};  ///< in elements, 0 repeats, negative goes backwards; by dimension of the kernel
};

/// In what numbers a Map computes. Operands are read exactly, as numbers; the result is rounded once, or wrapped, to
/// the dtype of the output: floats to nearest even, floats to integers toward zero, and 0 is the false predicate.
enum class Compute : uint8_t {
  f32,  ///< of bf16, f16, fp8, f32 and predicates
  f64,  ///< of all floats and predicates
  i64,  ///< of integers but u64, and predicates
  u64,  ///< of u64, keys and unsigned integers
};

/// Where a step finds what it needs.
enum class From : uint8_t { nowhere, input, slot, number, index, row };

/// b or c of a step: an input, a slot of kept values, a number as the bits of the computed type (of f32 the low half),
/// the index along a dimension of the kernel, rounded to it, or a number of a row (rows.h).
struct Source {
  From from = From::nowhere;
  uint8_t which = 0;
  uint64_t bits = 0;
};

/// v = op(v, b, c), and then slot[keep - 1] = v unless keep is 0.
struct Step {
  StepOp op = StepOp::take;
  uint8_t keep = 0;
  Source b{};
  Source c{};
};

inline constexpr int kMostInputs = 6;
inline constexpr int kMostSteps = 32;
inline constexpr int kSlots = 4;

/// output[i] = what the steps make of inputs[..][i], for all indices below `size`.
struct Map {
  int32_t dims = 0;
  int32_t inputs_used = 0;
  int32_t steps_used = 0;
  Compute compute = Compute::f32;
  int64_t size[kMostDims]{};
  Array inputs[kMostInputs]{};
  Array output{};
  Step steps[kMostSteps]{};
};
static_assert(std::is_trivially_copyable_v<Map> && sizeof(Map) <= 4096, "an argument of a kernel");

}  // namespace isoshard::calls
