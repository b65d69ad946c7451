#include "sim/value/value.h"

#include <cstring>

namespace isoshard::sim {

bool same_bits(const Value& a, const Value& b) {
  if (!(a.type == b.type) || a.storage != b.storage) return false;
  return a.data == b.data || a.bytes() == 0 || std::memcmp(a.data.get(), b.data.get(), a.bytes()) == 0;
}

}  // namespace isoshard::sim
