#pragma once

#include <string_view>

#include "core/ir/ops/collectives.h"
#include "core/ir/ops/reduce.h"

namespace isoshard::text {

/// How an enumerator of a field is written; enumerators that are not listed mean "not given".
template <class E>
struct EnumName {
  E value;
  std::string_view name;
};

inline constexpr EnumName<Reducer> kReducers[] = {{Reducer::add, "add"}};
inline constexpr EnumName<PermuteOrder> kPermuteOrders[] = {{PermuteOrder::tuple, "tuple"},
                                                            {PermuteOrder::mesh, "mesh"}};

constexpr const auto& enum_names(Reducer) { return kReducers; }
constexpr const auto& enum_names(PermuteOrder) { return kPermuteOrders; }

}  // namespace isoshard::text
