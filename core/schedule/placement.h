#pragma once

#include <cstdint>

namespace isoshard::schedule {

/// In which order the stages of a pipeline go over the ranks, when each rank has several.
enum class Style : uint8_t {
  loop,  ///< around: stage s is on rank s mod ranks (Megatron-LM's interleaved stages)
  v,     ///< there and back: every other chunk in descending order of ranks, so that stage 2·ranks - 1 is on rank 0
};

/// Which rank runs which stage. Each rank has `per_rank` stages, its chunks, the chunk 0 being the earliest one.
struct Placement {
  int64_t ranks = 1;
  int64_t per_rank = 1;
  Style style = Style::loop;

  int64_t stages() const { return ranks * per_rank; }
  int64_t last() const { return stages() - 1; }
  int64_t chunk_of(int64_t stage) const { return stage / ranks; }
  int64_t rank_of(int64_t stage) const { return place(chunk_of(stage), stage % ranks); }
  int64_t stage_of(int64_t rank, int64_t chunk) const { return chunk * ranks + place(chunk, rank); }

 private:
  /// Along a chunk: the rank of a place, and the place of a rank.
  int64_t place(int64_t chunk, int64_t i) const { return style == Style::v && chunk % 2 == 1 ? ranks - 1 - i : i; }
};

}  // namespace isoshard::schedule
