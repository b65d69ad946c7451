#pragma once

#include <cstdint>
#include <string>

#include "core/ir/type.h"
#include "core/support/location.h"
#include "core/support/rational.h"

namespace isoshard {

using GlobalId = Id<struct GlobalTag>;

/// What a global is for (design 4.3). `param` and `input` carry gradients (float dtypes only); `const` does not.
/// The roles key and state join with the ops that need them.
enum class Role : uint8_t { param, input, constant };

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

  bool has_gradient() const { return role != Role::constant && is_float(type.dtype); }
};

std::string_view name(Role role);
std::string_view name(InitKind kind);

}  // namespace isoshard
