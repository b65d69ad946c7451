#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/gpu/programs/pairs.h"
#include "bench/gpu/programs/timed_ranks.h"

namespace isoshard::bench {

/// The line above the rows.
void print_by_hand_head();

/// Does the steps of a pair by turns, call by call and as a graph; prints a row for each and adds it to `rows`. Whether
/// the outputs of both agree, where both have them; those of floats that are rounded and added in another order agree
/// within 2^-12 (f32) or 2^-6 (bf16) of the largest.
exec::Outcome<bool> measure_by_hand(const Pair& pair, const RunSettings& settings, nlohmann::ordered_json& rows);

}  // namespace isoshard::bench
