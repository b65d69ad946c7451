#include "core/ir/types/value_range.h"

#include <algorithm>

#include "core/value/integers.h"

namespace isoshard {

void ValueRange::add(const std::vector<int64_t>& numbers) {
  for (const int64_t number : numbers) {
    if (contains(number)) continue;
    others.insert(std::upper_bound(others.begin(), others.end(), number), number);
  }
}

bool ValueRange::contains(int64_t number) const {
  return (low <= number && number < high) || std::binary_search(others.begin(), others.end(), number);
}

uint64_t ValueRange::size() const {
  const uint64_t between = low < high ? static_cast<uint64_t>(high) - static_cast<uint64_t>(low) : 0;
  return between + others.size();
}

int64_t ValueRange::at(uint64_t index) const {
  const uint64_t between = size() - others.size();
  if (index >= between) return others[index - between];
  return static_cast<int64_t>(static_cast<uint64_t>(low) + index);
}

std::string ValueRange::to_string() const {
  std::string text = std::to_string(low) + ".." + std::to_string(high);
  for (const int64_t number : others) text += ", " + std::to_string(number);
  return text;
}

std::string wrong_range(const ValueRange& range, const TensorType& type) {
  const IntegerEnds ends = integer_ends(type.dtype);
  const auto held = [&](int64_t n) { return ends.contain(n); };
  const std::string subject = "the range is " + range.to_string();
  if (range.low >= range.high) return subject + ", which holds no integer; expected LOW..HIGH with LOW < HIGH";
  if (held(range.low) && held(range.high - 1) && std::all_of(range.others.begin(), range.others.end(), held)) return "";
  return subject + " for " + to_string(type) + "; expected integers from " + std::to_string(ends.least) + " to " +
         std::to_string(ends.greatest);
}

}  // namespace isoshard
