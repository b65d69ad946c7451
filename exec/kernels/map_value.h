#pragma once

#include "exec/kernels/element.h"
#include "exec/kernels/position.h"
#include "exec/kernels/steps.h"

/// One element of a Map.
namespace isoshard::exec {

template <class T>
ISOSHARD_DEVICE T number_of(uint64_t bits) {
  if constexpr (sizeof(T) == 4) {
    return scalar::bits_as<T>(static_cast<uint32_t>(bits));
  } else {
    return scalar::bits_as<T>(bits);
  }
}

/// b or c of a step at one element.
template <class T>
ISOSHARD_DEVICE T fetch(const calls::Source& source, const calls::Map& map, const Position& at, Slots<T, 1>& slots,
                        const std::byte* memory) {
  switch (source.from) {
    case calls::From::input: {
      const calls::Array& input = map.inputs[source.which];
      return read_number<T>(input.dtype, memory + input.place, at.dot(input.stride, map.dims));
    }
    case calls::From::slot:
      return slots.at(source.which, 0);
    case calls::From::number:
      return number_of<T>(source.bits);
    case calls::From::index:
      return static_cast<T>(at.along(source.which));
    case calls::From::row:  // of rows only
    case calls::From::nowhere:
      break;
  }
  return T(0);
}

/// What the steps make of the inputs at one element.
template <class T>
ISOSHARD_DEVICE T value_at(const calls::Map& map, const Position& at, Slots<T, 1>& slots, const std::byte* memory) {
  T value = T(0);
  for (int s = 0; s < map.steps_used; ++s) {
    const calls::Step& step = map.steps[s];
    const T b = fetch<T>(step.b, map, at, slots, memory);
    const T c = fetch<T>(step.c, map, at, slots, memory);
    with_step<T>(step.op, [&](auto f) { value = f(value, b, c); });
    if (step.keep != 0) slots.at(step.keep - 1, 0) = value;
  }
  return value;
}

/// How many slots the steps keep values in.
inline unsigned slots_used(const calls::Map& map) {
  unsigned used = 0;
  for (int s = 0; s < map.steps_used; ++s) used = map.steps[s].keep > used ? map.steps[s].keep : used;
  return used;
}

}  // namespace isoshard::exec
