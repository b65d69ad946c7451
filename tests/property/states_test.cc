#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>

#include "core/ir/builder/builder.h"
#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/evaluate/evaluate.h"
#include "sim/lockstep/run.h"
#include "sim/value/movement.h"

namespace isoshard::sim::states_test {
namespace {

/// What a value stands for, one array per position: on V axes each device's own, on all other axes the same, with the
/// sum over P axes taken. This is the erased reference: it knows no device of an R, I, = or P axis from another.
using Meaning = std::vector<Value>;

Value add(const Value& a, const Value& b) {
  const std::vector<Value> operands{a, b};
  return evaluate(Add{}, operands, a.type, float_domain());
}

/// Random typed programs over small integers, whose meaning is computed beside them from the state table alone.
class TypedProgram {
 public:
  TypedProgram(std::vector<int64_t> sizes, uint32_t seed) : random_(seed) {
    std::vector<MeshAxis> axes;
    for (size_t i = 0; i < sizes.size(); ++i) axes.push_back({std::string(1, static_cast<char>('a' + i)), sizes[i]});
    mesh_ = std::make_shared<Mesh>("m", std::move(axes));
    builder_ = std::make_unique<Builder>(module_, "p", mesh_, sink_);
    side_ = 2 * mesh_->device_count();
    for (int i = 0; i < 4; ++i) add_view();
  }

  void grow(int steps) {
    for (int i = 0; i < steps; ++i) add_random_op();
  }

  /// What is wrong, or empty.
  std::string check() {
    for (const Known& known : known_) {
      builder_->output("y" + std::to_string(known.id.value), known.id, {{{}, 0}, {{}, 0}});
    }
    const std::optional<ProgramId> id = builder_->finish();
    if (!id) return sink_.diagnostics().empty() ? "not finished" : sink_.diagnostics()[0].message;
    const Result<RunResult> result = run(lower(module_, *id), float_domain(), globals_);
    if (!result) return result.error().message;
    for (size_t i = 0; i < known_.size(); ++i) {
      const std::string wrong = check_value(known_[i], result->outputs[i], module_.program(*id));
      if (!wrong.empty()) return wrong;
    }
    return "";
  }
  /// The ops whose results have a state on every axis, with those states: `add VP`.
  const std::set<std::string>& covered() const { return covered_; }

 private:
  struct Known {
    ValueId id;
    Meaning meaning;
    double bound;  ///< of the absolute value on any device and of the meaning: everything stays exact in f64
  };

  size_t draw(size_t bound) { return static_cast<size_t>(random_() % bound); }
  Group draw_group() {
    Group group;
    for (size_t a = 0; a < mesh_->axis_count(); ++a) {
      if (draw(2) == 0) group.axes.emplace_back(a);
    }
    if (group.empty()) group.axes.emplace_back(draw(mesh_->axis_count()));
    if (draw(2) == 0) std::reverse(group.axes.begin(), group.axes.end());
    return group;
  }
  const Known& draw_known() { return known_[draw(known_.size())]; }
  const States& states(ValueId id) const { return builder_->type(id).states; }
  const Shape& shape(ValueId id) const { return builder_->type(id).tensor.shape; }

  /// A global read through a random layout, with some of the other axes as I.
  void add_view() {
    const bool no_gradient = draw(3) == 0;
    const TensorType type{DType::f64, {side_, side_}};
    module_.globals.push_back(
        Global{"g" + std::to_string(known_.size()), type, no_gradient ? Role::constant : Role::param, Init{}, {}});
    std::vector<double> elements(static_cast<size_t>(side_ * side_));
    for (double& x : elements) x = static_cast<double>(draw(5)) - 2;
    globals_.push_back(from_doubles(type, elements, float_domain()));
    View view{GlobalId(module_.globals.size() - 1), {{{}, 0}, {{}, 0}}, {}, Coverage{0}};
    for (size_t a = 0; a < mesh_->axis_count(); ++a) {
      const size_t where = draw(4);
      if (where < 2) view.layout[where].axes.axes.emplace_back(a);
      if (where == 2 && !no_gradient) view.invariant.insert(AxisId(a));
    }
    for (ViewEntry& entry : view.layout) entry.offset = entry.whole() ? 0 : static_cast<int64_t>(draw(5)) - 2;
    Meaning meaning;
    for (int64_t p = 0; p < mesh_->device_count(); ++p) {
      Value block = globals_.back();
      for (size_t d = 0; d < 2; ++d) {
        const ViewEntry& entry = view.layout[d];
        block = take_block(block, static_cast<int64_t>(d), block_index(entry, *mesh_, p), block_count(entry, *mesh_));
      }
      meaning.push_back(std::move(block));
    }
    append(view, {}, std::move(meaning), 2);
  }

  /// Keeps the result unless its states are in error somewhere.
  void append(OpData op, std::vector<ValueId> operands, Meaning meaning, double bound) {
    const std::string name(op_name(op));
    const ValueId id = builder_->add_op(std::move(op), std::move(operands));
    if (!id.valid()) return;
    std::string text;
    for (const State state : states(id)) text += letter(state);
    if (text.find('?') != std::string::npos) return;
    covered_.insert(name + " " + text);
    known_.push_back(Known{id, std::move(meaning), bound});
  }

  template <class F>
  Meaning per_position(F&& f) const {
    Meaning result;
    for (int64_t p = 0; p < mesh_->device_count(); ++p) result.push_back(f(p));
    return result;
  }
  static const Value& at(const Meaning& meaning, int64_t position) { return meaning[static_cast<size_t>(position)]; }

  /// The sum over the members of each group: what V -> P means.
  Meaning summed(const Meaning& x, const Group& group) const {
    return per_position([&](int64_t p) {
      Value sum = at(x, mesh_->member(group, p, 0));
      for (int64_t i = 1; i < mesh_->size(group); ++i) sum = add(sum, at(x, mesh_->member(group, p, i)));
      return sum;
    });
  }

  static constexpr double kLargest = 1e12;

  void add_random_op() {
    switch (draw(9)) {
      case 0:
      case 1:
        return add_binary();
      case 2:
        return add_dot();
      case 3:
        return add_reinterpret();
      case 4:
        return add_convert();
      case 5:
        return add_sum_collective();
      case 6:
        return add_blocks();
      case 7:
        return add_permute();
      default:
        return add_unary();
    }
  }

  template <class Op>
  void add_local(const Op& op, std::vector<const Known*> operands, const AxisSet& partial, double bound,
                 const TensorType& type) {
    if (bound > kLargest) return;
    Meaning meaning = per_position([&](int64_t p) {
      std::vector<Value> values;
      for (const Known* known : operands) values.push_back(at(known->meaning, p));
      return evaluate(op, values, type, float_domain());
    });
    Group group;
    for (size_t a = 0; a < mesh_->axis_count(); ++a) {
      if (partial.contains(AxisId(a))) group.axes.emplace_back(a);
    }
    std::vector<ValueId> ids;
    for (const Known* known : operands) ids.push_back(known->id);
    append(op, std::move(ids), summed(meaning, group), bound * static_cast<double>(mesh_->size(group)));
  }

  void add_binary() {
    const Known a = draw_known(), b = draw_known();
    if (shape(a.id) != shape(b.id)) return;
    const TensorType& type = builder_->type(a.id).tensor;
    const size_t op = draw(3);
    if (op == 0) add_local(Add{}, {&a, &b}, {}, a.bound + b.bound, type);
    if (op == 1) add_local(Subtract{}, {&a, &b}, {}, a.bound + b.bound, type);
    if (op == 2) add_local(Multiply{}, {&a, &b}, {}, a.bound * b.bound, type);
  }

  AxisSet draw_partial() {
    AxisSet partial;
    if (draw(2) == 0) partial.insert(AxisId(draw(mesh_->axis_count())));
    return partial;
  }

  void add_dot() {
    const Known a = draw_known(), b = draw_known();
    const int64_t k = shape(a.id)[1];
    if (k != shape(b.id)[0]) return;
    const TensorType type{DType::f64, {shape(a.id)[0], shape(b.id)[1]}};
    const DotGeneral op{{{1}, {0}}, draw_partial()};
    add_local(op, {&a, &b}, op.partial, a.bound * b.bound * static_cast<double>(k), type);
  }

  void add_unary() {
    const Known x = draw_known();
    const Shape s = shape(x.id);
    if (draw(2) == 0) {
      add_local(Negate{}, {&x}, {}, x.bound, TensorType{DType::f64, s});
    } else {
      add_local(Transpose{{1, 0}}, {&x}, {}, x.bound, TensorType{DType::f64, {s[1], s[0]}});
    }
  }

  void add_reinterpret() {
    const Known x = draw_known();
    const Group group = draw_group();
    const State to = std::vector{State::replicated, State::varying, State::partial}[draw(3)];
    // Only the gradient of assert_equal takes terms for each device's own values, which loses what they mean.
    if (to == State::varying && has_partial(x, group)) return;
    const bool sums = to == State::partial;  // R -> P multiplies by N, V -> P adds the devices' values
    const double bound = x.bound * (sums ? static_cast<double>(mesh_->size(group)) : 1);
    if (bound > kLargest) return;
    append(Reinterpret{group, to}, {x.id}, sums ? summed(x.meaning, group) : x.meaning, bound);
  }

  void add_convert() {
    const Known x = draw_known();
    const Group group = draw_group();
    ConvertState op{group, State::invariant, {}};
    if (draw(2) == 0) op = {group, State::partial, static_cast<int64_t>(draw(static_cast<size_t>(mesh_->size(group))))};
    append(op, {x.id}, x.meaning, x.bound);
  }

  bool has_partial(const Known& x, const Group& group) const {
    const States& states = builder_->type(x.id).states;
    return std::any_of(group.axes.begin(), group.axes.end(),
                       [&](AxisId axis) { return states[axis.index()] == State::partial; });
  }

  std::optional<State> draw_to(const Known& x) {
    if (!builder_->type(x.id).has_gradient) return std::nullopt;
    return draw(2) == 0 ? State::replicated : State::invariant;
  }

  void add_sum_collective() {
    const Known x = draw_known();
    const Group group = draw_group();
    if (draw(2) == 0) return append(AllReduce{group, draw_to(x)}, {x.id}, x.meaning, x.bound);
    const auto dim = static_cast<int64_t>(draw(2));
    const int64_t size = mesh_->size(group);
    if (shape(x.id)[static_cast<size_t>(dim)] % size != 0) return;
    append(ReduceScatter{group, dim}, {x.id}, own_blocks(x, group, dim), x.bound);
  }

  Meaning own_blocks(const Known& x, const Group& group, int64_t dim) const {
    return per_position(
        [&](int64_t p) { return take_block(at(x.meaning, p), dim, mesh_->index_in(group, p), mesh_->size(group)); });
  }

  void add_blocks() {
    const Known x = draw_known();
    const Group group = draw_group();
    const auto dim = static_cast<int64_t>(draw(2));
    const int64_t size = mesh_->size(group), along = shape(x.id)[static_cast<size_t>(dim)];
    if (draw(2) == 0) {
      if (along % size == 0) append(SliceBlock{group, dim}, {x.id}, own_blocks(x, group, dim), x.bound);
      return;
    }
    if (along * size > 4 * side_) return;
    Meaning gathered = per_position([&](int64_t p) {
      std::vector<Value> parts;
      for (int64_t i = 0; i < size; ++i) parts.push_back(at(x.meaning, mesh_->member(group, p, i)));
      return concatenate(parts, dim);
    });
    append(AllGather{group, dim, draw_to(x)}, {x.id}, std::move(gathered), x.bound);
  }

  void add_permute() {
    const Known x = draw_known();
    const Group group = draw_group();
    const int64_t size = mesh_->size(group), shift = static_cast<int64_t>(draw(5)) - 2;
    Meaning moved = per_position([&](int64_t p) {
      const int64_t source = ((mesh_->index_in(group, p) - shift) % size + size) % size;
      return at(x.meaning, mesh_->member(group, p, source));
    });
    append(CollectivePermute{group, shift, {}, PermuteOrder::tuple}, {x.id}, std::move(moved), x.bound);
  }

  /// Equal along R, I and =; the sum over P axes is the meaning; V is each device's own.
  std::string check_value(const Known& known, const std::vector<StoredBlock>& literal, const Program& program) const {
    const isoshard::Value& value = program.value(known.id);
    Group partial, equal;
    for (size_t a = 0; a < value.type.states.size(); ++a) {
      const State state = value.type.states[a];
      if (state == State::partial) partial.axes.emplace_back(a);
      if (state != State::partial && state != State::varying) equal.axes.emplace_back(a);
    }
    const std::string subject = std::string(op_name(program.op(value.definition).data)) + " : " +
                                to_string(value.type, *mesh_) + " at position ";
    Meaning values;
    for (const StoredBlock& block : literal) values.push_back(block.value);
    const Meaning sums = summed(values, partial);
    for (int64_t p = 0; p < mesh_->device_count(); ++p) {
      // Adding 0 makes -0 and +0 one.
      const Value zero = zeros(value.type.tensor, float_domain());
      if (!same_bits(at(values, p), at(values, mesh_->leader(equal, p))))
        return subject + std::to_string(p) + ": differs";
      if (!same_bits(add(at(sums, p), zero), add(at(known.meaning, p), zero)))
        return subject + std::to_string(p) + ": wrong";
    }
    return "";
  }

  std::mt19937 random_;
  Module module_;
  DiagnosticSink sink_;
  std::shared_ptr<const Mesh> mesh_;
  std::unique_ptr<Builder> builder_;
  int64_t side_ = 1;
  std::vector<Value> globals_;
  std::vector<Known> known_;
  std::set<std::string> covered_;
};

void check_random_program(size_t axes, int64_t largest) {
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < axes; ++i) sizes.push_back(*rc::gen::resize(100, rc::gen::inRange<int64_t>(1, largest + 1)));
  TypedProgram program(sizes, *rc::gen::resize(100, rc::gen::arbitrary<uint32_t>()));
  program.grow(*rc::gen::resize(100, rc::gen::inRange(1, 60)));
  RC_ASSERT(program.check() == "");
}

RC_GTEST_PROP(States, ValuesMeanWhatTheirStatesSayOverOneAxis, ()) { check_random_program(1, 5); }
RC_GTEST_PROP(States, ValuesMeanWhatTheirStatesSayOverTwoAxes, ()) { check_random_program(2, 3); }

/// Such programs meet every row of the table; otherwise the properties would prove little.
TEST(States, TheRandomProgramsReachedEveryRow) {
  std::mt19937 random(3);
  std::set<std::string> covered;
  for (int i = 0; i < 150; ++i) {
    TypedProgram program({2}, static_cast<uint32_t>(random()));
    program.grow(60);
    covered.insert(program.covered().begin(), program.covered().end());
  }
  for (const char* row : {"view R",
                          "view I",
                          "view V",
                          "view =",
                          "add R",
                          "add I",
                          "add V",
                          "add P",
                          "add =",
                          "subtract P",
                          "multiply R",
                          "multiply I",
                          "multiply V",
                          "multiply P",
                          "dot_general R",
                          "dot_general I",
                          "dot_general V",
                          "dot_general P",
                          "negate P",
                          "transpose P",
                          "reinterpret R",
                          "reinterpret V",
                          "reinterpret P",
                          "convert_state I",
                          "convert_state P",
                          "all_reduce R",
                          "all_reduce I",
                          "all_reduce =",
                          "reduce_scatter V",
                          "slice_block V",
                          "all_gather R",
                          "all_gather I",
                          "all_gather =",
                          "collective_permute V"}) {
    EXPECT_TRUE(covered.contains(row)) << row;
  }
}

}  // namespace
}  // namespace isoshard::sim::states_test
