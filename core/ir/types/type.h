#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ir/types/mesh.h"
#include "core/value/tensor.h"

namespace isoshard {

/// What a value is on one mesh axis (docs/spec/states.md, "States"); it also fixes the state of the value's gradient.
enum class State : uint8_t {
  replicated,  ///< R: equal on all devices; gradient P
  invariant,   ///< I: equal on all devices; gradient I (already reduced)
  varying,     ///< V: each device its own value; gradient V
  partial,     ///< P: the true value is the sum over the axis; gradient R
  equal,       ///< =: equal on all devices, no gradient
  unknown,     ///< ?: a state error was reported earlier
};

/// 'R', 'I', 'V', 'P', '=' or '?'.
char letter(State state);
std::optional<State> parse_state(std::string_view text);

/// One state per axis of the program's mesh, in mesh order.
using States = std::vector<State>;
/// The axes in state `wanted`, in mesh order.
Group axes_in(const States& states, State wanted);

/// dtype and local shape: what one device holds.
struct TensorType {
  DType dtype = DType::f32;
  Shape shape;
  bool operator==(const TensorType&) const = default;
};

/// The full type of a value of a Program.
struct ValueType {
  TensorType tensor;
  States states;
  /// False for values computed only from integers, predicates, constants and no-gradient globals.
  bool has_gradient = false;
  bool operator==(const ValueType&) const = default;
};

/// `f32[8,16]`.
std::string to_string(const TensorType& type);
/// `{V: data, P: model}`, grouped by state in the order R I V P = ?; empty braces for a mesh without axes.
std::string to_string(const States& states, const Mesh& mesh);
/// `f32[8,16] {V: data, P: model}`.
std::string to_string(const ValueType& type, const Mesh& mesh);

}  // namespace isoshard
