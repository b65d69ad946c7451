#include "core/ir/ops/view_op.h"

#include "core/ir/module.h"

namespace isoshard {

bool check_layout(const Layout& layout, LayoutUse use, size_t rank, const Mesh& mesh, const std::string& subject,
                  const Location& location, DiagnosticSink& sink) {
  if (layout.size() != rank) {
    sink.error("T-layout", location,
               subject + " has " + std::to_string(layout.size()) + " layout entries for rank " + std::to_string(rank) +
                   "; expected one entry per dimension");
    return false;
  }
  AxisSet seen;
  for (const ViewEntry& entry : layout) {
    if (use == LayoutUse::view) seen = {};
    for (const AxisId axis : entry.axes.axes) {
      if (!seen.contains(axis)) {
        seen.insert(axis);
        continue;
      }
      sink.error("T-layout", location,
                 subject + " splits over `" + mesh.axis(axis).name + "` twice; expected each axis at most once in " +
                     (use == LayoutUse::view ? "an entry" : "the layout, or the blocks would not tile the output"));
      return false;
    }
  }
  return true;
}

Inferred View::infer(const InferContext& context) const {
  const Global& global_value = context.module().global(global);
  TensorType result = global_value.type;
  for (size_t d = 0; d < layout.size() && d < result.shape.size(); ++d) {
    const int64_t blocks = block_count(layout[d], context.mesh());
    if (result.shape[d] % blocks != 0) {
      return context.error("T-divide", "dim " + std::to_string(d) + " of @" + global_value.name + " with size " +
                                           std::to_string(result.shape[d]) + " is not divisible by " +
                                           std::to_string(blocks) + ", the size of " +
                                           context.mesh().to_string(layout[d].axes));
    }
    result.shape[d] /= blocks;
  }
  return std::vector{result};
}

void View::infer_states(StateContext& context) const {
  const Global& global_value = context.module.global(global);
  const AxisSet splitting = splitting_axes(layout);
  for (size_t i = 0; i < context.result.size(); ++i) {
    const AxisId axis(i);
    const bool split = splitting.contains(axis);
    const bool as_invariant = invariant.contains(axis);
    if (as_invariant && (split || !context.typed || !global_value.has_gradient())) {
      context.error("S-view", axis,
                    std::string("`as I{") + context.mesh.axis(axis).name + "}` does not apply: " +
                        (split           ? "the axis splits the view, each device has its own block"
                         : context.typed ? "@" + global_value.name + " has no gradient, it reads ="
                                         : "untyped programs have only = and V") +
                        "; leave it out");
      continue;
    }
    const State whole = !context.typed || !global_value.has_gradient() ? State::equal
                        : as_invariant                                 ? State::invariant
                                                                       : State::replicated;
    context.set(axis, split ? State::varying : whole);
  }
}

}  // namespace isoshard
