// An index takes the rows of the reference's arrays, a number that is only compared those that stand for all others;
// what a file declares comes before both.
#include "verify/facts/integer_values.h"

#include <algorithm>
#include <map>
#include <set>
#include <variant>

#include "verify/facts/integer_uses.h"
#include "verify/pair.h"

namespace isoshard::verify {
namespace {

std::string range_in_words(const ValueRange& range) {
  std::string words = std::to_string(range.low) + ".." + std::to_string(range.high);
  for (size_t i = 0; i < range.others.size(); ++i) {
    words += (i + 1 == range.others.size() ? " and " : ", ") + std::to_string(range.others[i]);
  }
  return words;
}

IntegerValues rows_and(const NumberRange& rows, const std::set<int64_t>& special) {
  IntegerValues result;
  ValueRange range{rows.low, rows.high};
  for (const int64_t number : special) {
    if (!range.contains(number)) range.others.push_back(number);
  }
  result.words = range_in_words(range);
  for (uint64_t i = 0; i < range.size(); ++i) result.values.push_back(range.at(i));
  std::sort(result.values.begin(), result.values.end());
  return result;
}

/// Each number with its neighbours, the ends of the dtype, and where a sum with an offset wraps around: between these
/// no comparison changes. Empty for i64 with offsets or numbers beyond 2^60.
IntegerValues around(std::set<int64_t> numbers, const std::set<int64_t>& offsets, DType dtype) {
  constexpr int64_t kWords = int64_t{1} << 32, kWide = int64_t{1} << 60;
  const bool wide = dtype == DType::i64;
  const bool far = !numbers.empty() && (*numbers.begin() < -kWide || *numbers.rbegin() > kWide);
  if (wide && (!offsets.empty() || far)) return {};
  const int64_t low = wide ? -kWide : dtype == DType::u32 ? 0 : -kWords / 2;
  const int64_t high = wide ? kWide : low + kWords - 1;
  numbers.insert({low, high});
  for (const int64_t offset : offsets) {
    const int64_t wrapping = ((low - offset - low) % kWords + kWords) % kWords + low;  // low again, with the offset
    numbers.insert(wrapping);
  }
  std::set<int64_t> values;
  for (const int64_t number : numbers) {
    for (const int64_t next : {number - 1, number, number + 1}) {
      if (next >= low && next <= high) values.insert(next);
    }
  }
  IntegerValues result;
  result.values.assign(values.begin(), values.end());
  return result;
}

/// What a file declares: all of it where it is small; where the programs only compare, what stands for all of it;
/// nothing otherwise.
IntegerValues declared(const ValueRange& range, IntegerUses& uses, GlobalId id, DType dtype) {
  IntegerValues result;
  result.words = range_in_words(range);
  std::set<int64_t> values;
  if (range.size() != 0 && range.size() <= static_cast<uint64_t>(kMostRows)) {
    for (uint64_t i = 0; i < range.size(); ++i) values.insert(range.at(i));
  } else if (uses.otherwise.count(id) == 0 && uses.rows.count(id) == 0) {
    const IntegerValues all = around(uses.compared[id], uses.offsets[id], dtype);
    if (all.values.empty()) return result;
    values.insert(all.values.begin(), all.values.end());
    values.insert({range.low, range.high - 1});
    values.insert(range.others.begin(), range.others.end());
  }
  for (const int64_t number : values) {
    if (range.contains(number)) result.values.push_back(number);
  }
  return result;
}

/// Per global: whose elements it has.
std::vector<GlobalId> elements_of_globals(const Pair& pair) {
  std::vector<GlobalId> result;
  for (size_t g = 0; g < pair.module->globals.size(); ++g) result.emplace_back(g);
  for (const MappedGlobal& map : pair.maps) {
    for (const Instruction& i : map.read.instructions) {
      if (const LoadBlock* load = std::get_if<LoadBlock>(&i.data)) result[map.global.index()] = load->global;
    }
  }
  return result;
}

std::vector<IntegerValues> values_of(const Pair& pair, const OutputCone* of_sharded, const OutputCone* of_reference) {
  const std::vector<GlobalId> elements = elements_of_globals(pair);
  IntegerUses uses;
  add_integer_uses({pair.sharded.plan, false, of_sharded, elements}, uses);
  add_integer_uses({pair.reference.plan, true, of_reference, elements}, uses);
  std::vector<IntegerValues> result(elements.size());
  for (size_t g = 0; g < result.size(); ++g) {
    const GlobalId id(g);
    const Global& global = pair.module->globals[g];
    const DType dtype = global.type.dtype;
    if (dtype == DType::pred) result[g].values = {0, 1};
    if (!is_integer(dtype)) continue;
    if (global.range) {
      result[g] = declared(*global.range, uses, id, dtype);
    } else if (const auto rows = uses.rows.find(id); rows != uses.rows.end()) {
      if (rows->second.low < rows->second.high) result[g] = rows_and(rows->second, uses.equals[id]);
    } else if (uses.otherwise.count(id) == 0 && uses.compared.count(id) != 0) {
      result[g] = around(uses.compared[id], uses.offsets[id], dtype);
    }
  }
  return result;
}

}  // namespace

std::vector<IntegerValues> integer_values(const Pair& pair) { return values_of(pair, nullptr, nullptr); }

std::vector<IntegerValues> integer_values(const Pair& pair, const OutputCone& of_sharded,
                                          const OutputCone& of_reference) {
  return values_of(pair, &of_sharded, &of_reference);
}

}  // namespace isoshard::verify
