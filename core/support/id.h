#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace isoshard {

/// A typed 32-bit index into an array of the object that owns the things named; `Tag` keeps kinds apart.
template <class Tag>
struct Id {
  static constexpr uint32_t kInvalid = 0xffffffffU;

  uint32_t value = kInvalid;

  constexpr Id() = default;
  constexpr explicit Id(size_t index) : value(static_cast<uint32_t>(index)) {}

  constexpr bool valid() const { return value != kInvalid; }
  constexpr size_t index() const { return value; }
  auto operator<=>(const Id&) const = default;
};

}  // namespace isoshard

template <class Tag>
struct std::hash<isoshard::Id<Tag>> {
  size_t operator()(isoshard::Id<Tag> id) const noexcept { return std::hash<uint32_t>{}(id.value); }
};
