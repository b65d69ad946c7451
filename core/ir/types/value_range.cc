#include "core/ir/types/value_range.h"

#include <algorithm>

namespace isoshard {

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

}  // namespace isoshard
