// Types and states of `view` and `block_size` (docs/spec/views.md, "Blocks", "Coverage"). A layout must have one entry
// per dimension, name no axis twice, split sizes as it says, and, where a block is an expression, name a block that
// exists on every device; this is tried on one device per combination of the axes that it depends on, since expressions
// cannot be solved in general. The block's shape follows, then a part of it. States: V over axes that split, P over
// those of an owner, else R, or I where the author says so, and = for what has no gradient. Cost: dimensions times such
// combinations.
#include "core/ir/ops/view_op.h"

namespace isoshard {
namespace {

constexpr int64_t kMaxBlocks = int64_t{1} << 31;

bool names_no_axis_twice(const Layout& layout, LayoutUse use, const Mesh& mesh, const std::string& subject,
                         const Location& location, DiagnosticSink& sink) {
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

/// `EXPR of COUNT` names a block of COUNT on every device.
bool blocks_exist(const Layout& layout, const Mesh& mesh, const std::string& subject, const Location& location,
                  DiagnosticSink& sink) {
  for (const ViewEntry& entry : layout) {
    if (!entry.of) continue;
    const int64_t count = entry.of->count;
    if (count < 1 || count > kMaxBlocks) {
      sink.error(
          "T-entry", location,
          subject + ": `" + to_string(entry, mesh) + "` has " + std::to_string(count) + " blocks; expected 1 to 2^31");
      return false;
    }
    for (const int64_t position : representatives(mesh, splitting_axes(entry))) {
      const int64_t index = block_index(entry, mesh, position);
      if (index >= 0 && index < count) continue;
      sink.error("T-entry", location,
                 subject + ": `" + to_string(entry, mesh) + "` is block " + std::to_string(index) + " on " +
                     mesh.place(position) + "; expected 0 to " + std::to_string(count - 1) + " on every device");
      return false;
    }
  }
  return true;
}

/// Whether dimension `d` of a global splits as its entry says.
bool check_split(const InferContext& context, const Global& global, const ViewEntry& entry, size_t d) {
  const int64_t size = global.type.shape[d], count = block_count(entry, context.mesh());
  const std::string dim = "dim " + std::to_string(d) + " of @" + global.name + " with size " + std::to_string(size);
  if (entry.split == Split::stack && count != size) {
    context.error("T-stack", dim + " is no stack of " + std::to_string(count) + ": `" +
                                 to_string(entry, context.mesh()) + "` takes blocks of size 1; expected the size " +
                                 std::to_string(count));
    return false;
  }
  if (entry.split != Split::equal || size % count == 0) return true;
  const std::string blocks = entry.of ? "the number of blocks" : "the size of " + context.mesh().to_string(entry.axes);
  ViewEntry uneven = entry;
  uneven.split = Split::uneven;
  context.error("T-divide", dim + " is not divisible by " + std::to_string(count) + ", " + blocks + "; `" +
                                to_string(uneven, context.mesh()) + "` splits it into blocks of " +
                                std::to_string(block_size(entry, size, context.mesh())) + " with padding");
  return false;
}

bool check_splits(const InferContext& context, const Global& global, const Layout& layout) {
  for (size_t d = 0; d < layout.size(); ++d) {
    if (!check_split(context, global, layout[d], d)) return false;
  }
  return true;
}

bool check_owners(const InferContext& context, const View& view) {
  const Mesh& mesh = context.mesh();
  AxisSet seen = splitting_axes(view.layout);
  for (const Owner& owner : view.only) {
    const std::string& axis = mesh.axis(owner.axis).name;
    const std::string subject = "`only " + axis + "=" + std::to_string(owner.coordinate) + "`";
    if (seen.contains(owner.axis)) {
      context.error("T-owner",
                    subject + ": the axis " +
                        (splitting_axes(view.layout).contains(owner.axis) ? "splits the view" : "is named twice") +
                        "; expected each axis once, and none that splits the view");
      return false;
    }
    seen.insert(owner.axis);
    if (owner.coordinate >= 0 && owner.coordinate < mesh.axis(owner.axis).size) continue;
    context.error("T-owner", subject + ": `" + axis + "` has size " + std::to_string(mesh.axis(owner.axis).size) +
                                 "; expected 0 to " + std::to_string(mesh.axis(owner.axis).size - 1));
    return false;
  }
  if (view.only.empty() || context.symbols().global(view.global).type.dtype != DType::pred) return true;
  context.error("T-numeric", "`only` gives terms of a sum and @" + context.symbols().global(view.global).name +
                                 " has predicates; expected numbers");
  return false;
}

/// Takes the part `range` of a block of shape `shape`.
bool take_range(const InferContext& context, const std::vector<BlockRange>& range, Shape& shape) {
  if (range.empty()) return true;
  if (range.size() != shape.size()) {
    context.error("T-slice", "there are " + std::to_string(range.size()) + " ranges for a block of rank " +
                                 std::to_string(shape.size()) + "; expected one per dimension of the block");
    return false;
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t start = range[d].start, limit = range[d].limit.value_or(shape[d]);
    if (start < 0 || start > limit || limit > shape[d]) {
      context.error("T-slice", "the range " + std::to_string(start) + ":" + std::to_string(limit) +
                                   " does not lie in dim " + std::to_string(d) + " of the block, which has size " +
                                   std::to_string(shape[d]));
      return false;
    }
    shape[d] = limit - start;
  }
  return true;
}

State whole_state(const StateContext& context, const Global& global, bool as_invariant) {
  if (!context.typed || !global.has_gradient()) return State::equal;
  return as_invariant ? State::invariant : State::replicated;
}

}  // namespace

bool check_layout(const Layout& layout, LayoutUse use, size_t rank, const Mesh& mesh, const std::string& subject,
                  const Location& location, DiagnosticSink& sink) {
  const size_t entries = use == LayoutUse::view ? layout.size() : block_rank(layout);
  if (entries != rank) {
    sink.error("T-layout", location,
               subject + " has " + std::to_string(entries) + " layout entries for rank " + std::to_string(rank) +
                   "; expected one entry per dimension" + (entries == layout.size() ? "" : " that is not stacked"));
    return false;
  }
  return names_no_axis_twice(layout, use, mesh, subject, location, sink) &&
         blocks_exist(layout, mesh, subject, location, sink);
}

Inferred View::infer(const InferContext& context) const {
  const Global& read = context.symbols().global(global);
  if (!check_splits(context, read, layout) || !check_owners(context, *this)) return std::nullopt;
  if (coverage.times < 0) {
    return context.error("C-coverage", "`times " + std::to_string(coverage.times) + "`; expected at least 1");
  }
  Shape shape = block_shape(read.type.shape, layout, context.mesh());
  if (!take_range(context, range, shape)) return std::nullopt;
  return std::vector{TensorType{read.type.dtype, std::move(shape)}};
}

void View::infer_states(StateContext& context) const {
  const Global& read = context.symbols.global(global);
  const AxisSet splitting = splitting_axes(layout);
  AxisSet owned;
  for (const Owner& owner : only) owned.insert(owner.axis);
  for (size_t i = 0; i < context.result.size(); ++i) {
    const AxisId axis(i);
    const bool split = splitting.contains(axis), one = owned.contains(axis);
    if (invariant.contains(axis) && (split || one || !context.typed || !read.has_gradient())) {
      context.error("S-view", axis,
                    std::string("`as I{") + context.mesh.axis(axis).name + "}` does not apply: " +
                        (split           ? "the axis splits the view, each device has its own block"
                         : one           ? "`only` makes the view P there"
                         : context.typed ? "@" + read.name + " has no gradient, it reads ="
                                         : "untyped programs have only = and V") +
                        "; leave it out");
      continue;
    }
    const bool varies = split || (one && !context.typed);
    context.set(axis, varies ? State::varying
                      : one  ? State::partial
                             : whole_state(context, read, invariant.contains(axis)));
  }
}

Inferred BlockSize::infer(const InferContext& context) const {
  const Global& read = context.symbols().global(global);
  if (!check_splits(context, read, layout)) return std::nullopt;
  const auto rank = static_cast<int64_t>(layout.size());
  if (dim < 0 || dim >= rank || layout[static_cast<size_t>(dim)].split == Split::stack) {
    return context.error("T-dim", "dim " + std::to_string(dim) + " of @" + read.name + " is " +
                                      (dim < 0 || dim >= rank ? "outside its rank " + std::to_string(rank)
                                                              : std::string("stacked and has no block")) +
                                      "; expected a dimension of the global with blocks");
  }
  return std::vector{TensorType{DType::i32, {}}};
}

void BlockSize::infer_states(StateContext& context) const {
  const AxisSet varying = splitting_axes(layout[static_cast<size_t>(dim)]);
  for (size_t i = 0; i < context.result.size(); ++i) {
    context.set(AxisId(i), varying.contains(AxisId(i)) ? State::varying : State::equal);
  }
}

}  // namespace isoshard
