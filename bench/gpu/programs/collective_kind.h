#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/plan/calls/call_list.h"
#include "core/value/dtype.h"

namespace isoshard::bench {

/// A collective as nccl-tests measures it.
struct CollectiveKind {
  const char* name;
  const char* op;      ///< its line in a program, of %x
  const char* result;  ///< how the result lies over the ranks `r`
  bool of_all;         ///< the size column counts the bytes of all ranks, not of one
  bool in_place;       ///< whether there is such a form
  const char* reduces = "none";
};

/// all_reduce, all_gather, reduce_scatter, all_to_all and a ring of sends and receives.
std::span<const CollectiveKind> collective_kinds();

/// Bytes on the busiest link for each byte of the size column, among `ranks` (busbw of nccl-tests).
double bus_factor(const CollectiveKind& kind, int64_t ranks);

/// What is sent by each of `ranks` ranks, and what it receives, for `bytes` in the size column.
struct CollectiveSizes {
  int64_t sends = 0, receives = 0;  ///< elements
  int64_t bytes = 0;                ///< of the size column, rounded down to whole blocks
};
CollectiveSizes sizes_of(const CollectiveKind& kind, int64_t ranks, DType dtype, int64_t bytes);

/// A program of one collective: `@x` over the ranks, `@y` what comes out.
std::string program_text(const CollectiveKind& kind, int64_t ranks, DType dtype, int64_t sends);

/// Where a list of calls has its buffers.
enum class Buffers : uint8_t { apart, in_place };

/// What each rank issues for `calls` equal collectives, one behind the other.
std::vector<calls::CallList> collective_lists(const CollectiveKind& kind, int64_t ranks, DType dtype,
                                              const CollectiveSizes& sizes, Buffers buffers, int64_t calls);

}  // namespace isoshard::bench
