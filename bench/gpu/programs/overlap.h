#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/gpu/programs/timed_ranks.h"
#include "catalogue/catalogue.h"
#include "core/plan/calls/held.h"

namespace isoshard::bench {

/// Calls of a list that are left in.
enum class Part : uint8_t { all, compute, communication };

/// A list without what does not belong to a part; events stay, so that streams wait as they do.
calls::CallList only(const calls::CallList& list, Part part);

/// Times the sharded program of a model as a whole, its kernels alone and its communication alone, call by call and as
/// a graph; prints a row for each and adds it to `rows`. What communication adds to the kernels is exposed.
exec::Outcome<> measure_overlap(const ModelRequest& model, calls::Products products, const RunSettings& settings,
                                nlohmann::ordered_json& rows);

/// How many ranks its sharded program has.
int64_t ranks_of(const ModelRequest& request);

/// The line above the rows.
void print_overlap_head();

}  // namespace isoshard::bench
