#include "tests/property/random_program.h"

#include <algorithm>
#include <utility>

#include "core/ir/builder.h"
#include "core/support/check.h"
#include "tests/property/dice.h"
#include "tests/property/random_globals.h"
#include "tests/property/random_movement.h"

namespace isoshard::testing {
namespace {

/// Grows one body, op by op; an op that an inference rejects is dropped before the Builder sees it.
class BodyGrower {
 public:
  BodyGrower(Module& module, Dice& dice, const RandomProgramOptions& options, std::shared_ptr<const Mesh> mesh,
             const std::string& name, ProgramKind kind)
      : module_(module),
        dice_(dice),
        options_(options),
        mesh_(std::move(mesh)),
        kind_(kind),
        builder_(module, name, mesh_, sink_, BuilderOptions{kind, options.typed, Location::here()}) {}

  void argument(const ValueType& type) { values_.push_back(builder_.argument(fresh_name(), type)); }

  void grow(size_t ops) {
    if (kind_ == ProgramKind::program) views();
    for (size_t tries = 0, made = 0; made < ops && tries < 20 * ops; ++tries) made += step() ? 1U : 0U;
  }

  ProgramId finish() {
    if (kind_ == ProgramKind::function) {
      builder_.results(dice_.some(recent()));
    } else {
      const std::vector<ValueId> outputs = dice_.some(recent());
      for (size_t i = 0; i < std::min<size_t>(3, outputs.size()); ++i) output("y" + std::to_string(i), outputs[i]);
      if (options_.updates) updates();
    }
    ISOSHARD_CHECK(builder_.program().state_errors().empty(), "a random program has a state error");
    const std::optional<ProgramId> id = builder_.finish();
    ISOSHARD_CHECK(id.has_value(), sink_.diagnostics().empty() ? "" : sink_.diagnostics()[0].message.c_str());
    return *id;
  }

 private:
  // Choices.

  const ValueType& type(ValueId value) const { return builder_.type(value); }
  const Shape& shape(ValueId value) const { return type(value).tensor.shape; }
  int64_t rank(ValueId value) const { return std::ssize(shape(value)); }
  ValueId any() { return dice_.pick(values_); }
  /// The last values, so that results depend on much of the program.
  std::vector<ValueId> recent() const {
    return std::vector<ValueId>(values_.end() - std::min<std::ptrdiff_t>(4, std::ssize(values_)), values_.end());
  }

  std::string fresh_name() {
    if (dice_.chance(40)) return "";
    const std::string number = std::to_string(++names_);
    return (dice_.chance(50) ? "v" : "w.") + number;
  }

  std::vector<AxisId> axes() const {
    std::vector<AxisId> result;
    for (size_t i = 0; i < mesh_->axis_count(); ++i) result.push_back(AxisId(i));
    return result;
  }

  /// A tuple of axes on which `value` is in one of `states` (all axes in untyped programs); may be empty.
  Group group_where(ValueId value, std::initializer_list<State> states) {
    std::vector<AxisId> fitting;
    for (const AxisId axis : axes()) {
      const bool listed = std::find(states.begin(), states.end(), type(value).states[axis.index()]) != states.end();
      if (listed || !options_.typed) fitting.push_back(axis);
    }
    return fitting.empty() ? Group() : Group{dice_.some(std::move(fitting))};
  }

  AxisSet partial_axes(ValueId a, ValueId b) {
    AxisSet result;
    for (const AxisId axis : axes()) {
      const bool varies =
          type(a).states[axis.index()] == State::varying || type(b).states[axis.index()] == State::varying;
      if (options_.typed && varies && dice_.chance(60)) result.insert(axis);
    }
    return result;
  }

  /// A value of the same dtype and shape as `value`.
  ValueId partner(ValueId value) {
    std::vector<ValueId> fitting;
    for (const ValueId other : values_) {
      if (type(other).tensor == type(value).tensor) fitting.push_back(other);
    }
    return dice_.pick(fitting);
  }

  std::optional<State> reduced_state(ValueId value) {
    if (!options_.typed || !type(value).has_gradient) return std::nullopt;
    return dice_.chance(50) ? State::replicated : State::invariant;
  }

  Rational number(DType dtype) {
    if (dtype == DType::pred) return Rational(dice_.in(0, 1));
    if (dtype == DType::i32 || dice_.chance(50)) return Rational(dice_.in(-3, 3));
    return Rational(dice_.in(-40, 40), dice_.in(1, 12));
  }

  // One op.

  /// Whether the inferences accept the op without an error and its results are small.
  bool accepts(const OpData& data, const std::vector<ValueId>& operands) {
    DiagnosticSink sink;
    std::vector<TensorType> tensors;
    for (const ValueId id : operands) tensors.push_back(type(id).tensor);
    const std::string op(op_name(data));
    const Inferred types = infer_types(data, InferContext(*mesh_, module_, std::move(tensors), op, Location(), sink));
    if (!types || element_count(types->front().shape) > options_.max_elements) return false;
    std::vector<Diagnostic> errors;
    StateContext context{*mesh_, module_, options_.typed, op, {}, Location(), errors, States(mesh_->axis_count()),
                         false};
    const View* view = std::get_if<View>(&data);
    context.has_gradient = view != nullptr && module_.global(view->global).has_gradient();
    for (const ValueId id : operands) {
      context.operands.push_back(OperandState{type(id).states, type(id).has_gradient, false, "%x"});
      context.has_gradient |= type(id).has_gradient;
    }
    context.has_gradient &= is_float(types->front().dtype);
    infer_states(data, context);
    return errors.empty();
  }

  bool try_op(OpData data, std::vector<ValueId> operands) {
    if (!accepts(data, operands)) return false;
    const ValueId value = builder_.add_op(std::move(data), std::move(operands), fresh_name());
    ISOSHARD_CHECK(value.valid(), "the Builder rejects an op that the inferences accept");
    values_.push_back(value);
    return true;
  }

  ViewEntry entry(int64_t size, std::vector<AxisId>& free_axes) {
    if (free_axes.empty() || dice_.chance(35)) return ViewEntry{};
    const Group group{dice_.some(free_axes)};
    if (size % mesh_->size(group) != 0) return ViewEntry{};
    // A view may name an axis again in another dimension: each device then reads a block of the diagonal.
    for (const AxisId axis : group.axes) {
      if (!dice_.chance(15)) free_axes.erase(std::find(free_axes.begin(), free_axes.end(), axis));
    }
    const int64_t blocks = mesh_->size(group);
    if (size == blocks && dice_.chance(30)) return ViewEntry{group, dice_.in(-1, 1), {}, Split::stack};
    if (size % (2 * blocks) == 0 && dice_.chance(25)) {  // one of two chunks of interleaved blocks
      const Expr index = dice_.in(0, 1) * blocks + Expr::index_in(group, *mesh_);
      return ViewEntry{{}, 0, BlockOf{index, 2 * blocks}};
    }
    return ViewEntry{group, dice_.chance(60) ? 0 : dice_.in(-3, 3)};
  }

  /// At times a part of the block, or its value on one device of an axis that does not split it.
  void cut(View& view, const Shape& whole, const std::vector<AxisId>& free_axes) {
    if (dice_.chance(10)) {
      for (const int64_t size : block_shape(whole, view.layout, *mesh_)) {
        const int64_t start = dice_.in(0, size);
        view.range.push_back(BlockRange{start, dice_.in(start, size)});
      }
    }
    const AxisSet splitting = splitting_axes(view.layout);
    for (const AxisId axis : free_axes) {
      if (splitting.contains(axis) || view.invariant.contains(axis) || !dice_.chance(5)) continue;
      view.only.push_back(Owner{axis, dice_.in(0, mesh_->axis(axis).size - 1)});
    }
  }

  bool view(GlobalId id) {
    const Global& global = module_.global(id);
    View view{id, {}, {}, Coverage{0}};  // views are drawn one by one, so they rarely cover a global evenly
    std::vector<AxisId> free_axes = axes();
    for (const int64_t size : global.type.shape) view.layout.push_back(entry(size, free_axes));
    const AxisSet splitting = splitting_axes(view.layout);
    for (const AxisId axis : free_axes) {
      const bool allowed = options_.typed && global.has_gradient() && !splitting.contains(axis);
      if (allowed && dice_.chance(40)) view.invariant.insert(axis);
    }
    if (is_numeric(global.type.dtype)) cut(view, global.type.shape, free_axes);
    return try_op(std::move(view), {});
  }

  void views() {
    for (size_t i = 0; i < module_.globals.size(); ++i) view(GlobalId(i));
    if (!values_.empty()) return;
    const ValueId fallback = builder_.add_op(Constant{Rational(1), DType::f32, {2}}, {}, fresh_name());
    values_.push_back(fallback);
  }

  bool step() {
    const int kind = static_cast<int>(dice_.in(0, 99));
    if (kind < 8) return leaf();
    if (kind < 20) return unary();
    if (kind < 40) return binary();
    if (kind < 50) return reshaping();
    if (kind < 56) return movement();
    if (kind < 68) return contraction();
    if (kind < 72 && options_.scans) return scan();
    if (kind < 94 || !options_.functions || kind_ == ProgramKind::function) return communication();
    return call();
  }

  bool leaf() {
    if (dice_.chance(30) && mesh_->axis_count() != 0) return try_op(AxisIndex{Group{dice_.some(axes())}}, {});
    if (dice_.chance(40) && kind_ == ProgramKind::program) return view(GlobalId(dice_.below(module_.globals.size())));
    const TensorType like = type(any()).tensor;
    return try_op(Constant{number(like.dtype), like.dtype, like.shape}, {});
  }

  bool unary() {
    const ValueId x = any();
    switch (dice_.in(0, 3)) {
      case 0:
        return try_op(Negate{}, {x});
      case 1:
        return try_op(Tanh{}, {x});
      case 2:
        return try_op(Logistic{}, {x});
      default:
        return options_.exponentials && try_op(Exponential{}, {x});
    }
  }

  bool binary() {
    const ValueId x = any(), y = partner(x);
    switch (dice_.in(0, 3)) {
      case 0:
        return try_op(Add{}, {x, y});
      case 1:
        return try_op(Subtract{}, {x, y});
      case 2:
        return try_op(Multiply{}, {x, y});
      default:
        return try_op(Divide{}, {x, y});
    }
  }

  bool reshaping() {
    const ValueId x = any();
    switch (dice_.in(0, 4)) {
      case 0:
        return broadcast(x);
      case 1:
        return try_op(Reshape{split_or_flatten(shape(x))}, {x});
      case 2: {
        std::vector<int64_t> permutation(shape(x).size());
        for (size_t i = 0; i < permutation.size(); ++i) permutation[i] = static_cast<int64_t>(i);
        dice_.shuffle(permutation);
        return try_op(Transpose{std::move(permutation)}, {x});
      }
      case 3:
        return slice(x);
      default:
        return concatenate(x);
    }
  }

  bool broadcast(ValueId x) {
    BroadcastInDim op{{}, shape(x)};
    const size_t at = dice_.below(op.shape.size() + 1);
    op.shape.insert(op.shape.begin() + static_cast<std::ptrdiff_t>(at), dice_.in(1, 3));
    for (size_t i = 0; i < op.shape.size(); ++i) {
      if (i != at) op.dims.push_back(static_cast<int64_t>(i));
    }
    return try_op(std::move(op), {x});
  }

  Shape split_or_flatten(const Shape& from) {
    if (from.empty()) return {1};
    if (dice_.chance(50)) return {element_count(from)};
    Shape to = from;
    const size_t at = dice_.below(to.size());
    const int64_t factor = to[at] % 2 == 0 ? 2 : to[at] % 3 == 0 ? 3 : 1;
    to[at] /= factor;
    to.insert(to.begin() + static_cast<std::ptrdiff_t>(at), factor);
    return to;
  }

  bool slice(ValueId x) {
    Slice op;
    const bool strided = dice_.chance(40);
    for (const int64_t size : shape(x)) {
      const int64_t start = dice_.in(0, size), limit = dice_.in(start, size);
      const bool whole = start == limit;  // sizes of 0 are legal but make every later value empty
      op.start.push_back(whole ? 0 : start);
      op.limit.push_back(whole ? size : limit);
      if (strided) op.strides.push_back(dice_.in(1, 2));
    }
    return try_op(std::move(op), {x});
  }

  bool concatenate(ValueId x) {
    if (shape(x).empty()) return false;
    std::vector<ValueId> operands{x};
    for (int64_t i = dice_.in(0, 2); i > 0; --i) operands.push_back(partner(x));
    return try_op(Concatenate{static_cast<int64_t>(dice_.below(shape(x).size()))}, std::move(operands));
  }

  bool movement() {
    std::optional<ProposedOp> proposed =
        random_movement(dice_, values_, [this](ValueId id) -> const TensorType& { return type(id).tensor; });
    return proposed && try_op(std::move(proposed->op), std::move(proposed->operands));
  }

  bool contraction() {
    const ValueId x = any();
    if (dice_.chance(40)) {
      Reduce op{Reducer::add, {}, partial_axes(x, x)};
      for (size_t d = 0; d < shape(x).size(); ++d) {
        if (dice_.chance(60)) op.dims.push_back(static_cast<int64_t>(d));
      }
      return try_op(std::move(op), {x});
    }
    const ValueId y = any();
    DotGeneral op{{}, partial_axes(x, y)};
    std::vector<bool> used(shape(y).size());
    for (size_t i = 0; i < shape(x).size(); ++i) {
      for (size_t j = 0; j < shape(y).size(); ++j) {
        if (used[j] || shape(x)[i] != shape(y)[j] || dice_.chance(30)) continue;
        used[j] = true;
        op.contract.lhs.push_back(static_cast<int64_t>(i));
        op.contract.rhs.push_back(static_cast<int64_t>(j));
        break;
      }
    }
    return try_op(std::move(op), {x, y});
  }

  bool communication() {
    using enum State;
    if (mesh_->axis_count() == 0) return false;
    const ValueId x = any();
    const int64_t dim = shape(x).empty() ? 0 : static_cast<int64_t>(dice_.below(shape(x).size()));
    switch (dice_.in(0, 9)) {
      case 7:
        return with_group(AllToAll{group_where(x, {varying}), dim, dice_.in(0, std::max<int64_t>(0, rank(x) - 1))}, x);
      case 8:
        return with_group(PlaceBlock{group_where(x, {varying}), dim}, x);
      case 9:
        return assert_equal(x);
      case 0:
        return with_group(AllReduce{group_where(x, {partial}), reduced_state(x)}, x);
      case 1:
        return with_group(AllGather{group_where(x, {varying}), dim, reduced_state(x)}, x);
      case 2:
        return with_group(ReduceScatter{group_where(x, {partial}), dim}, x);
      case 3:
        return permute(x);
      case 4:
        return with_group(SliceBlock{group_where(x, {replicated, invariant, equal}), dim}, x);
      case 5:
        return convert_state(x);
      default:
        return reinterpret(x);
    }
  }

  template <class Op>
  bool with_group(Op op, ValueId x) {
    return !op.axis.empty() && try_op(std::move(op), {x});
  }

  bool permute(ValueId x) {
    CollectivePermute op{group_where(x, {State::varying}), std::nullopt, {}, PermuteOrder::unspecified};
    if (op.axis.empty()) return false;
    const bool sorted = std::is_sorted(op.axis.axes.begin(), op.axis.axes.end());
    if (!sorted || dice_.chance(20)) op.order = dice_.chance(50) ? PermuteOrder::tuple : PermuteOrder::mesh;
    if (dice_.chance(50)) {
      op.shift = dice_.in(-3, 3);
      return try_op(std::move(op), {x});
    }
    std::vector<int64_t> targets(static_cast<size_t>(mesh_->size(op.axis)));
    for (size_t i = 0; i < targets.size(); ++i) targets[i] = static_cast<int64_t>(i);
    dice_.shuffle(targets);
    for (size_t i = 0; i < targets.size(); ++i) {
      if (dice_.chance(75) || op.pairs.empty()) op.pairs.push_back({static_cast<int64_t>(i), targets[i]});
    }
    return try_op(std::move(op), {x});
  }

  bool convert_state(ValueId x) {
    using enum State;
    if (dice_.chance(40)) return with_group(ConvertState{group_where(x, {replicated}), invariant, std::nullopt}, x);
    const Group group = group_where(x, {replicated, invariant, equal});
    return with_group(ConvertState{group, partial, dice_.in(0, mesh_->size(group) - 1)}, x);
  }

  bool reinterpret(ValueId x) {
    using enum State;
    if (!options_.typed) return false;
    const State to = std::vector<State>{replicated, varying, partial}[dice_.below(3)];
    const Group group = to == replicated ? group_where(x, {invariant})
                        : to == varying  ? group_where(x, {replicated, equal})
                                         : group_where(x, {varying, replicated, equal});
    return with_group(Reinterpret{group, to}, x);
  }

  /// Claims what is so: an equal value, taken for a varying one before.
  bool assert_equal(ValueId x) {
    using enum State;
    const Group group = group_where(x, {replicated, equal});
    if (!options_.typed || !with_group(Reinterpret{group, varying}, x)) return false;
    return with_group(AssertEqual{group}, values_.back());
  }

  /// Calls a new function, or one made before for the same types.
  bool call() {
    const std::vector<ValueId> operands = dice_.some(recent());
    std::vector<ValueType> types;
    for (const ValueId id : operands) types.push_back(type(id));
    BodyGrower function(module_, dice_, options_, mesh_, "f" + std::to_string(functions_++), ProgramKind::function);
    for (const ValueType& argument_type : types) function.argument(argument_type);
    function.grow(4);
    const ProgramId callee = function.finish();
    for (int64_t times = dice_.in(1, 2); times > 0; --times) {
      std::vector<std::string> names(module_.program(callee).body().results.size());
      for (std::string& name : names) name = fresh_name();
      for (const ValueId id : builder_.append(Call{callee}, operands, std::move(names))) values_.push_back(id);
    }
    return true;
  }

  // Scans.

  /// Carries some values and slices some of one length; now and then a zero.
  bool scan() {
    if (open_scans_ == 2) return false;
    ScanOperands operands;
    operands.trips = dice_.in(0, 4);
    const ValueId lead = any();
    if (!shape(lead).empty() && shape(lead)[0] <= 5 && dice_.chance(80)) operands.trips = shape(lead)[0];
    for (const ValueId id : dice_.some(recent())) {
      const bool sliceable = !shape(id).empty() && shape(id)[0] == *operands.trips;
      (sliceable && dice_.chance(60) ? operands.stacked : operands.initial).push_back(id);
    }
    if (!shape(lead).empty() && shape(lead)[0] == *operands.trips) operands.stacked.push_back(lead);
    if (dice_.chance(50)) {
      const TensorType like = type(any()).tensor;
      operands.initial.push_back(builder_.add_op(Constant{Rational(0), like.dtype, like.shape}, {}, fresh_name()));
    }
    operands.with_index = options_.integers && dice_.chance(40);
    const ScanBody body = [&](const ScanArguments& arguments, bool) { return scan_body(arguments, *operands.trips); };
    for (const ValueId id : builder_.scan(operands, body)) {
      ISOSHARD_CHECK(id.valid(), "the Builder rejects a scan");
      values_.push_back(id);
    }
    return true;
  }

  /// A few ops on the arguments; names start again. Carries keep their state: a zero that takes the state of the body
  /// needs a body that is the same each time it is built, which a random one is not.
  ScanYield scan_body(const ScanArguments& arguments, int64_t trips) {
    const std::vector<ValueId> outside = std::exchange(values_, arguments.carries);
    const size_t names = std::exchange(names_, 0);
    ++open_scans_;
    values_.insert(values_.end(), arguments.slices.begin(), arguments.slices.end());
    if (arguments.index.valid()) values_.push_back(arguments.index);
    for (int64_t i = dice_.in(1, 5); i > 0; --i) step();
    ScanYield yield;
    for (const ValueId carry : arguments.carries) {
      std::vector<ValueId> fitting{carry};
      for (const ValueId id : values_) {
        if (type(id).tensor == type(carry).tensor && type(id).states == type(carry).states) fitting.push_back(id);
      }
      yield.carries.push_back(dice_.chance(20) ? carry : fitting.back());
    }
    for (const ValueId id : dice_.some(recent())) {
      if (element_count(shape(id)) * trips <= options_.max_elements) yield.stacked.push_back(id);
    }
    if (yield.carries.empty() && yield.stacked.empty()) yield.stacked.push_back(recent().back());
    yield.location = Location::here();
    --open_scans_;
    names_ = names;
    values_ = outside;
    return yield;
  }

  // Returns.

  /// Sums the terms of a partial value and gives a scalar a dimension where the layout needs one.
  ValueId returnable(ValueId value) {
    Group partial;
    bool varies = false;
    for (const AxisId axis : axes()) {
      if (type(value).states[axis.index()] == State::partial) partial.axes.push_back(axis);
      varies |= type(value).states[axis.index()] == State::varying;
    }
    if (!partial.empty()) value = builder_.add_op(AllReduce{partial, reduced_state(value)}, {value}, fresh_name());
    if (varies && shape(value).empty()) value = builder_.add_op(Reshape{{1}}, {value}, fresh_name());
    return value;
  }

  void output(const std::string& name, ValueId value) {
    value = returnable(value);
    Layout layout(shape(value).size());
    std::vector<AxisId> order = axes();
    dice_.shuffle(order);
    for (const AxisId axis : order) {
      const bool varies = type(value).states[axis.index()] == State::varying;
      if (layout.empty() || !(varies || dice_.chance(15))) continue;
      layout[dice_.below(layout.size())].axes.axes.push_back(axis);
    }
    for (ViewEntry& part : layout) {
      if (!part.whole() && dice_.chance(25)) part.offset = dice_.in(-2, 2);
    }
    builder_.output(name, value, std::move(layout));
  }

  /// Next-step values for globals that are read: of the type of the view and stored by its layout.
  void updates() {
    const std::vector<OpId> ops = builder_.program().body().ops;
    for (const OpId id : ops) {
      const Op op = builder_.program().op(id);
      const View* view = std::get_if<View>(&op.data);
      if (view == nullptr || !module_.global(view->global).can_be_updated() || dice_.chance(30)) continue;
      if (updates(view->global)) continue;
      const ValueId value = next_value(op.results[0]);
      if (fits(value, *view)) builder_.update(view->global, value, view->layout);
    }
  }

  bool updates(GlobalId global) const {
    const std::vector<Output>& known = builder_.program().updates();
    return std::any_of(known.begin(), known.end(), [&](const Output& update) { return update.updates == global; });
  }

  /// A value of the type of `old`, in a state that can be returned.
  ValueId next_value(ValueId old) {
    std::vector<ValueId> alike;
    for (const ValueId value : values_) {
      if (type(value).tensor == type(old).tensor) alike.push_back(value);
    }
    return returnable(dice_.pick(alike));
  }

  /// The layout of the view tiles the global, and `value` is laid out so.
  bool fits(ValueId value, const View& view) {
    DiagnosticSink ignored;
    const Layout& layout = view.layout;
    const bool part = std::any_of(layout.begin(), layout.end(), [](const ViewEntry& e) { return e.of.has_value(); });
    if (part || !view.range.empty() || !view.only.empty()) return false;
    if (!check_layout(layout, LayoutUse::output, shape(value).size(), *mesh_, "", Location(), ignored)) return false;
    if (global_shape(shape(value), layout, *mesh_) != module_.global(view.global).type.shape) return false;
    const AxisSet splitting = splitting_axes(layout);
    const std::vector<AxisId> all = axes();
    return std::all_of(all.begin(), all.end(), [&](AxisId axis) {
      return splitting.contains(axis) || type(value).states[axis.index()] != State::varying;
    });
  }

  Module& module_;
  Dice& dice_;
  const RandomProgramOptions& options_;
  std::shared_ptr<const Mesh> mesh_;
  ProgramKind kind_;
  DiagnosticSink sink_;
  Builder builder_;
  std::vector<ValueId> values_;
  size_t names_ = 0;
  size_t functions_ = 0;
  int open_scans_ = 0;
};

}  // namespace

RandomProgram random_program(const RandomProgramOptions& options) {
  Dice dice(options.seed);
  RandomProgram result;
  const std::shared_ptr<const Mesh> mesh = random_mesh(dice, options);
  result.module.meshes.push_back(mesh);
  add_globals(result.module, *mesh, dice, options);
  BodyGrower grower(result.module, dice, options, mesh, "p", ProgramKind::program);
  grower.grow(options.ops);
  result.program = grower.finish();
  return result;
}

}  // namespace isoshard::testing
