#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/ir/types/type.h"
#include "core/ir/types/value_range.h"
#include "core/support/location.h"
#include "core/support/rational.h"

namespace isoshard {

using GlobalId = Id<struct GlobalTag>;

/// What a global is for (docs/spec/views.md, "Roles of globals"). `param` and `input` carry gradients (float dtypes
/// only); the others do not. `param`, `state` (moments, counters) and `key` (random keys) live across steps and can be
/// updated; an `input` comes from outside in every step, a `const` never changes.
enum class Role : uint8_t { param, input, constant, key, state };

/// How `sim` draws a global that is not given; `check` ignores it except for a `const` with an exact value.
enum class InitKind : uint8_t { normal, uniform, lecun_normal, zeros, ones, value };

struct Init {
  InitKind kind = InitKind::normal;
  Rational value;  ///< of InitKind::value
  bool operator==(const Init&) const = default;
};

/// A named array of the whole program, independent of any mesh; programs read blocks of it through views.
struct Global {
  std::string name;  ///< without `@`
  TensorType type;
  Role role = Role::input;
  Init init;
  Location location;
  std::optional<ValueRange> range{};  ///< of integers; empty: any that the dtype holds

  bool has_gradient() const { return (role == Role::param || role == Role::input) && is_float(type.dtype); }
  bool can_be_updated() const { return role != Role::input && role != Role::constant; }
};

std::string_view name(Role role);
std::string_view name(InitKind kind);

}  // namespace isoshard
