#pragma once

#include <string_view>

#include "core/ir/ops/collective_permute.h"
#include "core/ir/ops/pipeline.h"
#include "core/ir/ops/random.h"
#include "core/ir/ops/reduce.h"
#include "core/ir/ops/select.h"
#include "core/ir/ops/sum_precision.h"

namespace isoshard {

/// How an enumerator of a field is written; enumerators that are not listed mean "not given".
template <class E>
struct EnumName {
  E value;
  std::string_view name;
};

inline constexpr EnumName<Reducer> kReducers[] = {
    {Reducer::add, "add"}, {Reducer::max, "max"},         {Reducer::min, "min"},      {Reducer::argmax, "argmax"},
    {Reducer::mul, "mul"}, {Reducer::logical_and, "and"}, {Reducer::logical_or, "or"}};
inline constexpr EnumName<Direction> kDirections[] = {{Direction::eq, "eq"}, {Direction::ne, "ne"},
                                                      {Direction::lt, "lt"}, {Direction::le, "le"},
                                                      {Direction::gt, "gt"}, {Direction::ge, "ge"}};
inline constexpr EnumName<PermuteOrder> kPermuteOrders[] = {{PermuteOrder::tuple, "tuple"},
                                                            {PermuteOrder::mesh, "mesh"}};
inline constexpr EnumName<SumPrecision> kSumPrecisions[] = {{SumPrecision::f32, "f32"},
                                                            {SumPrecision::native, "native"}};

inline constexpr EnumName<KeyLayout> kKeyLayouts[] = {{KeyLayout::original, "original"},
                                                      {KeyLayout::partitionable, "partitionable"}};

inline constexpr EnumName<schedule::Style> kStyles[] = {{schedule::Style::loop, "loop"}, {schedule::Style::v, "v"}};
inline constexpr EnumName<LossOf> kLossOfs[] = {{LossOf::mean, "mean"}, {LossOf::sum, "sum"}};

constexpr const auto& enum_names(Reducer) { return kReducers; }
constexpr const auto& enum_names(Direction) { return kDirections; }
constexpr const auto& enum_names(PermuteOrder) { return kPermuteOrders; }
constexpr const auto& enum_names(SumPrecision) { return kSumPrecisions; }
constexpr const auto& enum_names(KeyLayout) { return kKeyLayouts; }
constexpr const auto& enum_names(LossOf) { return kLossOfs; }
constexpr const auto& enum_names(schedule::Style) { return kStyles; }

/// How `value` is written; empty where it means "not given".
template <class E>
constexpr std::string_view enum_name(E value) {
  for (const auto& row : enum_names(value)) {
    if (row.value == value) return row.name;
  }
  return "";
}

}  // namespace isoshard
