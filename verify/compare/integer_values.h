#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/types/value_range.h"
#include "core/value/dtype.h"

namespace isoshard::verify {

struct Pair;

/// The numbers that stand for all values of the elements of an integer or pred global.
struct IntegerValues {
  /// In ascending order, as integer::widen has them; empty: any number, of which only functions are formed.
  std::vector<int64_t> values;
  std::map<int64_t, std::vector<int64_t>> at{};  ///< of single elements, fewer
  std::optional<ValueRange> range{};             ///< that limits them: declared, or where lookups are rows

  /// How a verdict says what limits them: `0..32`, `0..8 and -100`; empty where nothing does.
  std::string words(DType dtype) const;

  const std::vector<int64_t>& of(int64_t element) const {
    const auto own = at.find(element);
    return own == at.end() ? values : own->second;
  }
};

/// `0..32`, `0..8 and -100`
std::string range_in_words(const ValueRange& range, DType dtype);

/// The numbers of integer globals, by name.
using IntegerInputs = std::map<std::string, IntegerValues>;

/// What a verdict about both programs says of each of their globals' values (docs/spec/verdict.md, "Integers"): those
/// that a file declares. Otherwise an index into arrays of the reference, plus a known number perhaps, takes those on
/// which all of its lookups are rows, and the numbers that the programs tell from others by equality; a minimum or
/// maximum with a row leaves one end open. One that is only compared with numbers, or looked up between two such
/// bounds, takes these, their neighbours, one beyond each end, and the rows, which stand for all. Globals that neither
/// program reads, and floats, have none.
std::vector<IntegerValues> integer_values(const Pair& pair);

/// The same as far as one output of the sharded program and its counterpart go.
std::vector<IntegerValues> integer_values(const Pair& pair, size_t output);

/// Per global what both programs' padding of it is asked for.
struct PaddingValues {
  std::map<size_t, std::vector<int64_t>> standing;  ///< for all numbers of the dtype; of others nothing but all do
  std::map<size_t, std::vector<int64_t>> compared;  ///< the numbers it is compared with, then their neighbours
};

/// What padding is asked for, of the integer globals that some view pads.
PaddingValues padding_values(const Pair& pair);

}  // namespace isoshard::verify
