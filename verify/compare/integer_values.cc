// The numbers that stand for all values of an integer input (docs/spec/verdict.md, "Which numbers"). An index takes the
// numbers on which all lookups of the reference are rows; a number that is only compared those that stand for all
// others: between two neighbouring constants no comparison changes, so each constant with its neighbours, and where a
// sum wraps around, is enough. What a file declares comes before both. Where an index may be any number, as behind a
// minimum and a maximum, or more than are enumerated, all rows and the neighbours of what it is compared with stand for
// all: outside of the rows a lookup tells no two numbers apart that no comparison does. No numbers at all mean that
// only functions of it are formed. Costs the walk of integer_uses.cc per program.
#include "verify/compare/integer_values.h"

#include <algorithm>
#include <map>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/value/integers.h"
#include "verify/compare/pair.h"
#include "verify/facts/cones.h"
#include "verify/facts/integers/integer_uses.h"

namespace isoshard::verify {
namespace {

ValueRange rows_and(const NumberRange& rows, const std::set<int64_t>& special) {
  ValueRange range{rows.low, rows.high};
  for (const int64_t number : special) {
    if (!range.contains(number)) range.others.push_back(number);
  }
  return range;
}

/// x + y modulo the range of the dtype.
int64_t sum_in(DType dtype, int64_t x, int64_t y) {
  return wrapped_integer(dtype, static_cast<int64_t>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y)));
}

/// Each number with its neighbours, and where a sum with an offset wraps around: between these no comparison changes,
/// and beyond all numbers is a neighbour or nothing. The ends show what else wraps around; those of u64, 0 and the one
/// before it, are next to each other here as modulo 2^64.
std::set<int64_t> around(std::set<int64_t> numbers, const std::set<int64_t>& offsets, DType dtype) {
  const IntegerEnds ends = integer_ends(dtype);
  const bool is_i64 = dtype == DType::i64;  // whose ends are further apart than a table holds
  if (!is_i64) numbers.insert({ends.least, sum_in(dtype, ends.least, -1)});
  for (const int64_t offset : offsets) {  // the lowest number again, with the offset
    numbers.insert(sum_in(dtype, ends.least, static_cast<int64_t>(0 - static_cast<uint64_t>(offset))));
  }
  std::set<int64_t> result;
  for (const int64_t number : numbers) {
    if (wrapped_integer(dtype, number) != number) continue;
    result.insert(number);
    if (!is_i64 || number > ends.least) result.insert(sum_in(dtype, number, -1));
    if (!is_i64 || number < ends.greatest) result.insert(sum_in(dtype, number, 1));
  }
  return result;
}

/// What stands for all numbers of the dtype; nothing where only all of them do.
std::set<int64_t> standing_for_all(const IntegerUses& uses, GlobalId id, DType dtype) {
  const auto of = [&](const auto& map) {
    const auto found = map.find(id);
    return found == map.end() ? typename std::decay_t<decltype(map)>::mapped_type{} : found->second;
  };
  if (uses.otherwise.count(id) != 0) return {};
  std::set<int64_t> numbers = of(uses.compared), rows;
  for (const NumberRange& range : of(uses.looked_up)) {
    if (range.low >= range.high) continue;
    numbers.insert({range.low, range.high - 1});
    for (int64_t row = range.low; row < range.high; ++row) rows.insert(row);
    if (rows.size() > static_cast<size_t>(kMostRows)) return {};
  }
  if (numbers.empty()) return {};
  std::set<int64_t> result = around(std::move(numbers), of(uses.offsets), dtype);
  result.merge(rows);
  return result;
}

/// All numbers of a range where they are few; where the programs only compare and look up, what stands for them;
/// nothing otherwise.
IntegerValues limited(const ValueRange& range, const IntegerUses& uses, GlobalId id, DType dtype) {
  IntegerValues result;
  result.range = range;
  std::set<int64_t> values;
  if (range.size() != 0 && range.size() <= static_cast<uint64_t>(kMostRows)) {
    for (uint64_t i = 0; i < range.size(); ++i) values.insert(range.at(i));
  } else {
    values = standing_for_all(uses, id, dtype);
    if (values.empty()) return result;
    values.insert({range.low, range.high - 1});
    values.insert(range.others.begin(), range.others.end());
  }
  for (const int64_t number : values) {
    if (range.contains(number)) result.values.push_back(number);
  }
  return result;
}

/// Where the reference's lookups are rows; without a range where that is everywhere.
IntegerValues of_index(const IntegerUses& uses, GlobalId id, DType dtype) {
  const auto rows = uses.rows.find(id);
  NumberRange range = rows == uses.rows.end() ? NumberRange{} : rows->second;
  const auto chosen = uses.chosen_rows.find(id);
  const bool many =
      range.low<range.high&& static_cast<uint64_t>(range.high) - static_cast<uint64_t>(range.low)> uint64_t{kMostRows};
  if (many && chosen != uses.chosen_rows.end()) range = range & chosen->second;
  IntegerValues result;
  if (range.low >= range.high) return result;
  const auto equals = uses.equals.find(id);
  if (!range.is_all()) {
    return limited(rows_and(range, equals == uses.equals.end() ? std::set<int64_t>{} : equals->second), uses, id,
                   dtype);
  }
  const std::set<int64_t> all = standing_for_all(uses, id, dtype);
  result.values.assign(all.begin(), all.end());
  return result;
}

/// Per global: whose elements it has.
std::vector<GlobalId> elements_of_globals(const Pair& pair) {
  std::vector<GlobalId> result;
  for (size_t g = 0; g < pair.module->globals.size(); ++g) result.emplace_back(g);
  for (const MappedGlobal& map : pair.maps) {
    for (const Instruction& i : map.read.instructions) {
      if (const LoadBlock* load = std::get_if<LoadBlock>(&i.data())) result[map.global.index()] = load->global;
    }
  }
  return result;
}

IntegerUses uses_of(const Pair& pair, const std::vector<GlobalId>& elements, const OutputCone* of_sharded,
                    const OutputCone* of_reference) {
  IntegerUses uses;
  add_integer_uses({pair.sharded.plan, false, of_sharded, elements}, uses);
  add_integer_uses({pair.reference.plan, true, of_reference, elements}, uses);
  return uses;
}

/// The integer globals of which `plan` reads a padded view.
void add_padded(const Plan& plan, std::set<GlobalId>& padded) {
  for (const Instruction& i : plan.instructions) {
    const LoadBlock* load = std::get_if<LoadBlock>(&i.data());
    if (load == nullptr || !is_integer(plan.globals[load->global.index()].type.dtype)) continue;
    const Shape& whole = plan.globals[load->global.index()].type.shape;
    for (size_t d = 0; d < whole.size(); ++d) {
      if (whole[d] % load->count[d] != 0) padded.insert(load->global);
    }
  }
}

std::vector<IntegerValues> values_of(const Pair& pair, const OutputCone* of_sharded, const OutputCone* of_reference) {
  const std::vector<GlobalId> elements = elements_of_globals(pair);
  const IntegerUses uses = uses_of(pair, elements, of_sharded, of_reference);
  std::vector<IntegerValues> result(elements.size());
  for (size_t g = 0; g < result.size(); ++g) {
    const GlobalId id(g);
    const Global& global = pair.module->globals[g];
    const DType dtype = global.type.dtype;
    if (dtype == DType::pred) result[g].values = {0, 1};
    if (!is_integer(dtype)) continue;
    if (global.range) {
      result[g] = limited(*global.range, uses, id, dtype);
    } else if (uses.rows.count(id) != 0 || uses.chosen_rows.count(id) != 0) {
      result[g] = of_index(uses, id, dtype);
    } else if (uses.looked_up_when_sharded.count(id) == 0) {
      const std::set<int64_t> all = standing_for_all(uses, id, dtype);
      result[g].values.assign(all.begin(), all.end());
    }
  }
  return result;
}

}  // namespace

std::string range_in_words(const ValueRange& range, DType dtype) {
  std::string words = std::to_string(range.low) + ".." + std::to_string(range.high);
  for (size_t i = 0; i < range.others.size(); ++i) {
    words += (i + 1 == range.others.size() ? " and " : ", ") + integer_text(dtype, range.others[i]);
  }
  return words;
}

std::string IntegerValues::words(DType dtype) const { return range ? range_in_words(*range, dtype) : ""; }

std::vector<IntegerValues> integer_values(const Pair& pair) { return values_of(pair, nullptr, nullptr); }

std::vector<IntegerValues> integer_values(const Pair& pair, size_t output) {
  const auto cone = [&](const Plan& plan, size_t o) {
    return OutputCone{static_cast<uint32_t>(o), cone_over_steps(plan, static_cast<uint32_t>(o), pair.steps)};
  };
  const OutputCone sharded = cone(pair.sharded.plan, output);
  const OutputCone reference = cone(pair.reference.plan, pair.reference_output[output]);
  return values_of(pair, &sharded, &reference);
}

PaddingValues padding_values(const Pair& pair) {
  PaddingValues result;
  std::set<GlobalId> padded;
  add_padded(pair.sharded.plan, padded);
  add_padded(pair.reference.plan, padded);
  if (padded.empty()) return result;
  const std::vector<GlobalId> elements = elements_of_globals(pair);
  const IntegerUses uses = uses_of(pair, elements, nullptr, nullptr);
  for (const GlobalId g : padded) {
    const GlobalId id = elements[g.index()];  // whose uses are known
    const DType dtype = pair.module->global(g).type.dtype;
    const std::set<int64_t> standing = standing_for_all(uses, id, dtype);
    if (!standing.empty()) result.standing[g.index()] = {standing.begin(), standing.end()};
    const auto compared = uses.compared.find(id), offsets = uses.offsets.find(id);
    if (compared == uses.compared.end()) continue;
    std::vector<int64_t>& first = result.compared[g.index()];
    first.assign(compared->second.begin(), compared->second.end());
    const bool shifted = offsets != uses.offsets.end();
    for (const int64_t near : around(compared->second, shifted ? offsets->second : std::set<int64_t>{}, dtype)) {
      if (compared->second.count(near) == 0) first.push_back(near);
    }
  }
  return result;
}

}  // namespace isoshard::verify
