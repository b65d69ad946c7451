#include "sim/domains/soft/tables/soft_keys.h"

namespace isoshard::sim {

namespace {

enum SoftHalf : uint64_t { kHalf = (uint64_t{1} << 33) + 6, kWhole };

}  // namespace

SoftKeys::Word SoftKeys::key_of(Word first, Word second) {
  if (integers_.is_known(first) && integers_.is_known(second)) {
    const auto low = static_cast<uint64_t>(integers_.value(first)),
               high = static_cast<uint64_t>(integers_.value(second));
    return integers_.number(static_cast<int64_t>(high << 32 | low));
  }
  const std::array<Word, 2> both{first, second};
  const std::lock_guard lock(mutex_);
  const auto known = keys_.find(both);
  if (known != keys_.end()) return known->second;
  const Word key = integers_.opaque(integers_.name_applied(kWhole, both));
  keys_.emplace(both, key);
  words_.emplace(key, both);
  return key;
}

std::array<SoftKeys::Word, 2> SoftKeys::words_of(Word key) {
  if (integers_.is_known(key)) {
    const auto bits = static_cast<uint64_t>(integers_.value(key));
    return {integers_.number(static_cast<uint32_t>(bits)), integers_.number(static_cast<uint32_t>(bits >> 32))};
  }
  const std::lock_guard lock(mutex_);
  const auto known = words_.find(key);
  if (known != words_.end()) return known->second;
  std::array<Word, 2> halves{};
  for (int64_t half = 0; half < 2; ++half) {
    const std::array<Word, 2> parts{key, integers_.number(half)};
    halves[static_cast<size_t>(half)] = integers_.opaque(integers_.name_applied(kHalf, parts));
  }
  keys_.emplace(halves, key);
  words_.emplace(key, halves);
  return halves;
}

}  // namespace isoshard::sim
