#pragma once

#include "core/plan/calls/sums.h"

/// A kernel that takes rows through several reductions, with what it makes of them kept on the chip.
namespace isoshard::calls {

inline constexpr int kMostRowSteps = 56;
inline constexpr int kMostPasses = 4;
/// Values of each element that wait for a later pass, and numbers of a row.
inline constexpr int kRowSlots = 4, kRowNumbers = 8;
/// Bytes that the waiting values and numbers of a block may have: two blocks or more find place on a multiprocessor.
inline constexpr int64_t kMostRowBytes = int64_t{64} << 10;

/// One way through a row: first steps for the row, then steps for each of its elements.
struct RowPass {
  int32_t row_steps = 0;
  int32_t steps = 0;
  int32_t reduces = 0;  ///< 1: what the last step gives is reduced to a number of the row
  Reducing op = Reducing::add;
  uint8_t number = 0;  ///< that one
};

/// output[r, ..] = what the passes make of inputs[..][r, ..], for each row r, which the first `kept` dimensions number;
/// the others, row-major, are its `terms` elements. A step for a row keeps what it makes in a number of the row, one
/// for an element in a slot of that element. Sums have the order of a Reduction and are not rounded.
struct RowMap {
  int32_t dims = 0;
  int32_t kept = 0;
  int32_t inputs_used = 0;
  int32_t passes_used = 0;
  int32_t steps_used = 0;
  int32_t slots = 0;    ///< that are used
  int32_t per_row = 0;  ///< 1: the last pass has steps for the row alone, and its value is the one element of output[r]
  Compute compute = Compute::f32;
  int64_t terms = 0;
  int64_t size[kMostDims]{};
  Array inputs[kMostInputs]{};
  Array output{};  ///< strides of the first dimensions only where it is per row
  RowPass passes[kMostPasses]{};
  Step steps[kMostRowSteps]{};  ///< of all passes, behind each other
};
static_assert(std::is_trivially_copyable_v<RowMap> && sizeof(RowMap) <= 4096, "an argument of a kernel");

/// How many times sixteen lanes work on one output of so many terms; a block has eight times sixteen.
constexpr int64_t team_for(int64_t terms) {
  int64_t team = 1;
  while (team < 8 && team * kChunkTerms < terms) team *= 2;
  return team;
}

/// Most elements of a row that are one thread's.
constexpr int64_t elements_of_thread(int64_t terms) {
  constexpr int64_t kLanes = 16;
  const int64_t chunks = chunks_of(terms), team = team_for(terms);
  const int64_t of_chunk = chunks > 1 ? kChunkTerms / kLanes : (terms + kLanes - 1) / kLanes;
  return (chunks + team - 1) / team * of_chunk;
}

/// How many numbers wait for a thread of the kernel.
constexpr int64_t waiting_of_thread(const RowMap& call) {
  return kRowNumbers + call.slots * elements_of_thread(call.terms);
}

}  // namespace isoshard::calls
