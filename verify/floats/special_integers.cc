// Integers at which programs that agree elsewhere differ: those that the programs compare indices with, their
// neighbours, the ends of ranges (verify/facts/integers/index_range.h), and of dtypes that wrap around soon. One global
// after another is all one such number while the others stay drawn: combinations are left to random draws. Numbers that
// the global cannot hold are left out. Cost: at most `most` runs of F.
#include "verify/floats/special_integers.h"

#include <cstdint>
#include <optional>
#include <set>

#include "core/value/integers.h"
#include "verify/compare/integer_values.h"
#include "verify/facts/integers/index_range.h"
#include "verify/ring/sampled.h"

namespace isoshard::verify {
namespace {

bool is_held(const Global& global, const std::optional<ValueRange>& range, int64_t number) {
  if (range) return range->contains(number);
  return wrapped_integer(global.type.dtype, number) == number;
}

/// Those of the programs with both neighbours, and those of the dtype.
std::set<int64_t> numbers_to_try(const Pair& pair, DType dtype) {
  std::set<int64_t> numbers = turning_numbers(dtype);
  for (const int64_t number : pair.indices.numbers) {
    for (const uint64_t beside : {~uint64_t{0}, uint64_t{0}, uint64_t{1}})
      numbers.insert(static_cast<int64_t>(static_cast<uint64_t>(number) + beside));
  }
  return numbers;
}

}  // namespace

std::vector<Integers> special_integers(const Pair& pair, size_t output, size_t most) {
  const std::vector<IntegerValues> values = integer_values(pair, output);
  std::vector<Integers> result;
  for (const GlobalId id : discrete_globals(pair, output)) {
    const Global& global = pair.module->global(id);
    if (!is_integer(global.type.dtype)) continue;
    for (const int64_t number : numbers_to_try(pair, global.type.dtype)) {
      if (result.size() == most) return result;
      if (!is_held(global, values[id.index()].range, number)) continue;
      const auto count = static_cast<size_t>(element_count(global.type.shape));
      result.push_back({{global.name, std::vector<int64_t>(count, number)}});
    }
  }
  return result;
}

}  // namespace isoshard::verify
