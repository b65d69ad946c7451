#pragma once  // internal

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>

#include "core/ir/module.h"
#include "core/value/dtype.h"
#include "core/value/integers.h"
#include "verify/facts/integers/number_range.h"

namespace isoshard::verify {

/// The number that stands for x in arithmetic of 8 or 32 bits, from -2^7 or -2^31 on; x itself in 64.
inline int64_t wrapped(int64_t x, DType dtype) {
  const size_t unused = 64 - 8 * info(dtype).bytes;
  return static_cast<int64_t>(static_cast<uint64_t>(x) << unused) >> unused;
}

/// x + sign y, which wraps around at 64 bits as i64 does.
inline int64_t plus(int64_t x, int64_t sign, int64_t y) {
  const uint64_t term = sign < 0 ? 0 - static_cast<uint64_t>(y) : static_cast<uint64_t>(y);
  return static_cast<int64_t>(static_cast<uint64_t>(x) + term);
}

/// Whether x, and not only what it wraps around to, is a number of the dtype. Of a u64 from 2^63 on it says no: a walk
/// does not know such numbers.
inline bool is_number_of(DType dtype, int64_t x) { return integer_ends(dtype).contain(x); }

inline constexpr int64_t kNoLeast = std::numeric_limits<int64_t>::min(), kNoMost = std::numeric_limits<int64_t>::max();

/// The range of all numbers of a dtype; of 64 bits without the greatest int64_t, which no range holds.
inline NumberRange numbers_of(DType dtype) {
  const IntegerEnds ends = integer_ends(dtype);
  return {ends.least, ends.greatest == kNoMost ? kNoMost : ends.greatest + 1};
}

/// A value may be an element of `global` plus a number.
struct IntegerSource {
  GlobalId global;
  std::optional<int64_t> offset;             ///< empty: some number
  int64_t least = kNoLeast, most = kNoMost;  ///< where a maximum or minimum keeps it between numbers
  bool chosen = false;                       ///< or it is another integer instead
  auto operator<=>(const IntegerSource&) const = default;

  /// Plus `sign` times `number`.
  IntegerSource shifted(int64_t sign, int64_t number, DType dtype) const {
    IntegerSource result = *this;
    result.offset = wrapped(plus(*offset, sign, number), dtype);
    const auto move = [&](int64_t& end, int64_t none) {
      const bool overflows =
          sign < 0 ? __builtin_sub_overflow(end, number, &end) : __builtin_add_overflow(end, number, &end);
      if (overflows) end = none;
    };
    if (least != kNoLeast) move(result.least, kNoLeast);
    if (most != kNoMost) move(result.most, kNoMost);
    return result;
  }
};

/// What an integer value may be.
struct IntegerTrace {
  static constexpr size_t kMost = 1024;  ///< known numbers

  std::set<IntegerSource> sources;
  std::set<int64_t> numbers;  ///< known ones
  bool unknown = false;       ///< and others
  bool many = false;          ///< and more than are listed: none is from then on, or a counter would grow again
  bool operator==(const IntegerTrace&) const = default;

  void add(const IntegerTrace& other) {
    sources.insert(other.sources.begin(), other.sources.end());
    numbers.insert(other.numbers.begin(), other.numbers.end());
    unknown = unknown || other.unknown;
    if (many || other.many || numbers.size() > kMost) forget_numbers();
  }
  void forget_numbers() {
    unknown = many = true;
    numbers.clear();
  }
  bool is_known() const { return sources.empty() && !unknown; }
};

}  // namespace isoshard::verify
