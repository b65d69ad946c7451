#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace isoshard::verify {

struct OutputCone;
struct Pair;

/// The numbers that stand for all values of the elements of an integer or pred global.
struct IntegerValues {
  std::vector<int64_t> values;                   ///< ascending; empty: any number, of which only functions are formed
  std::map<int64_t, std::vector<int64_t>> at{};  ///< of single elements, fewer
  /// How a verdict says it: `0..32`, `0..8 and -100`; empty where nothing limits the values.
  std::string words{};

  const std::vector<int64_t>& of(int64_t element) const {
    const auto own = at.find(element);
    return own == at.end() ? values : own->second;
  }
};

/// Of globals, by name.
using IntegerInputs = std::map<std::string, IntegerValues>;

/// What a verdict about both programs says of each of their globals' values (docs/spec/verdict.md, "Integers"): those
/// that a file declares. Otherwise an index into arrays of the reference, plus a known number perhaps, takes those that
/// are rows of all of them, and the numbers that the programs tell from others by equality; one that is only compared
/// with numbers takes these, their neighbours and one beyond each end, which stand for all. Globals that neither
/// program reads, and floats, have none.
std::vector<IntegerValues> integer_values(const Pair& pair);

/// The same as far as one output of each side goes.
std::vector<IntegerValues> integer_values(const Pair& pair, const OutputCone& of_sharded,
                                          const OutputCone& of_reference);

}  // namespace isoshard::verify
