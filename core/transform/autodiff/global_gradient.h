#pragma once  // internal

#include <vector>

#include "core/ir/builder/builder.h"

namespace isoshard::autodiff {

/// The gradient of what one view read, in the states dual to those of `view`'s result.
struct ViewGradient {
  View view;
  States states;  ///< of what it read
  ValueId gradient;
  Location location;
};

/// A gradient and how its blocks are laid out: what `return @W = %gradient [layout]` needs.
struct LaidOutGradient {
  ValueId value;
  Layout layout;
};

/// Appends the gradient of a global (docs/spec/views.md, "Gradient of a global"): the sum, over its views and over
/// devices, of the blocks at their places.
///
/// V and P gradients are summed over all devices, also those that share a block; what is equal (I, `only`) counts once.
/// Without states, gradients of all devices are summed. Where one view tiles the global, the blocks stay where they
/// are.
LaidOutGradient append_global_gradient(Builder& out, const Global& global, const std::vector<ViewGradient>& views);

}  // namespace isoshard::autodiff
