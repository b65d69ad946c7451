#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/gpu/by_hand/by_hand.h"
#include "core/plan/calls/call_list.h"
#include "core/plan/plan.h"
#include "exec/backend.h"

namespace isoshard::bench {

/// What exec issues, and the same by hand, or what it is measured by.
struct Pair {
  std::string name;
  std::string shape;  ///< `8192x4096x16384`
  DType dtype = DType::f32;
  int64_t times = 1;  ///< in a step
  Plan plan;
  std::vector<calls::CallList> lists;
  HandWork by_hand;
  bool same = false;  ///< both compute the same output
  double target = 0;  ///< the most that exec may take of the time by hand; 0: none
};

/// What a call may take, in microseconds, where it is a launch: call by call and in a graph.
inline constexpr double kEagerLaunch = 2.5, kGraphLaunch = 1;

/// Sizes of what is compared.
struct PairSizes {
  int64_t ranks = 1;                                      ///< of tp_mlp
  int64_t batch = 8192, features = 4096, hidden = 16384;  ///< of tp_mlp and its products
  int64_t rows = 16384, columns = 4096;                   ///< of what goes through memory once
  int64_t times = 20;                                     ///< a kernel in a step
  int64_t launches = 1000;                                ///< in a step
};

/// The names of all pairs: tp_mlp, product, chain, softmax, layer_norm, launch.
std::vector<std::string> pair_names();

/// The pair of that name. `unsupported` where a size does not suit.
exec::Outcome<Pair> make_pair_of(const std::string& name, DType dtype, const PairSizes& sizes);

}  // namespace isoshard::bench
