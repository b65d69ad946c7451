// Integers at which programs that agree elsewhere differ: those that the programs compare indices with, their
// neighbours, and the ends of ranges (verify/facts/integers/index_range.h). One global after another is all one such
// number while the others stay drawn: combinations are left to random draws. Numbers that the global cannot hold are
// left out. Cost: at most `most` runs of F.
#include "verify/floats/special_integers.h"

#include <limits>
#include <optional>
#include <set>

#include "verify/compare/integer_values.h"
#include "verify/ring/sampled.h"

namespace isoshard::verify {
namespace {

bool is_held(const Global& global, const std::optional<ValueRange>& range, int64_t number) {
  if (range) return range->contains(number);
  if (global.type.dtype == DType::u32) return number >= 0 && number <= std::numeric_limits<uint32_t>::max();
  const bool narrow = global.type.dtype == DType::i32;
  return !narrow || (number >= std::numeric_limits<int32_t>::min() && number <= std::numeric_limits<int32_t>::max());
}

}  // namespace

std::vector<Integers> special_integers(const Pair& pair, size_t output, size_t most) {
  std::set<int64_t> numbers;
  for (const int64_t number : pair.indices.numbers) numbers.insert({number - 1, number, number + 1});
  const std::vector<IntegerValues> values = integer_values(pair, output);
  std::vector<Integers> result;
  for (const GlobalId id : discrete_globals(pair, output)) {
    const Global& global = pair.module->global(id);
    if (!is_integer(global.type.dtype)) continue;
    for (const int64_t number : numbers) {
      if (result.size() == most) return result;
      if (!is_held(global, values[id.index()].range, number)) continue;
      const auto count = static_cast<size_t>(element_count(global.type.shape));
      result.push_back({{global.name, std::vector<int64_t>(count, number)}});
    }
  }
  return result;
}

}  // namespace isoshard::verify
