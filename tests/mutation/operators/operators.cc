#include "tests/mutation/operators/operators.h"

namespace isoshard::mutation {

std::vector<Operator> all_operators() {
  std::vector<Operator> all;
  for (const auto family : {right_collectives, right_algebra, wrong_communication, wrong_blocks, wrong_values}) {
    const std::vector<Operator> some = family();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

namespace {

template <class... Ops>
bool is_one_of(const OpData& op) {
  return (std::holds_alternative<Ops>(op) || ...);
}

}  // namespace

bool is_elementwise(const OpData& op) {
  return is_one_of<Negate, Exponential, Log, Tanh, Logistic, Sqrt, Rsqrt, Sine, Cosine, ErfInv, Abs, Sign, Erf, Erfc,
                   Cbrt>(op);
}

bool is_linear(const OpData& op) {
  const Reduce* reduce = std::get_if<Reduce>(&op);
  const AllReduce* sum = std::get_if<AllReduce>(&op);
  if (reduce != nullptr) return reduce->op == Reducer::add;
  if (sum != nullptr) return sum->op == Reducer::none || sum->op == Reducer::add;
  return is_one_of<Negate, Reshape, Transpose, Slice, BroadcastInDim, Reverse, AllGather, ReduceScatter, AllToAll,
                   CollectivePermute, SliceBlock, PlaceBlock>(op);
}

}  // namespace isoshard::mutation
