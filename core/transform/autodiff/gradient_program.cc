// Makes of a program the one that also computes gradients of its outputs with respect to globals: a copy of its body,
// the adjoints of its ops, last first, and one output per global (docs/adr/0020-gradients-of-globals.md). It
// differentiates by the results of views, as vjp.cc does by arguments. Where a state error left no state, the one that
// was meant is taken, from the op's `to` or from its operands, so that an erased program has gradients, too. A
// cotangent may be 1 or a global, a random one of which makes EQUAL hold for the whole Jacobian, since that is linear
// in it. Cost: a few ops per op.
#include "core/transform/autodiff/gradient_program.h"

#include <algorithm>
#include <map>

#include "core/transform/autodiff/adjoint.h"
#include "core/transform/autodiff/global_gradient.h"
#include "core/transform/hoist_views.h"

namespace isoshard::autodiff {
namespace {

/// The view of a body of `program` or of a function that it calls; null where there is none of that global.
const Op* find_view(const Program& program, GlobalId global) {
  for (size_t i = 0; i < program.op_count(); ++i) {
    const View* view = std::get_if<View>(&program.op(OpId(i)).data);
    if (view != nullptr && view->global == global) return &program.op(OpId(i));
  }
  return nullptr;
}

const Op* find_view_of_callees(const Module& module, const Program& program, GlobalId global) {
  for (size_t i = 0; i < program.op_count(); ++i) {
    for (const ProgramId id : callees(program.op(OpId(i)).data)) {
      const Program& callee = module.program(id);
      const Op* found = find_view(callee, global);
      if (found == nullptr) found = find_view_of_callees(module, callee, global);
      if (found != nullptr) return found;
    }
  }
  return nullptr;
}

/// The state that a value was meant to have where a state error left `?`: that of `to`, or of what it was made from.
State intended_state(const Program& program, ValueId value, size_t axis) {
  while (true) {
    const State state = program.value(value).type.states[axis];
    const OpId definition = program.value(value).definition;
    if (state != State::unknown || !definition.valid()) return state;
    const Op& op = program.op(definition);
    const AllReduce* sum = std::get_if<AllReduce>(&op.data);
    if (sum != nullptr && sum->to && sum->axis.set().contains(AxisId(axis))) return *sum->to;
    const auto next = std::find_if(op.operands.begin(), op.operands.end(),
                                   [&](ValueId operand) { return program.value(operand).type.has_gradient; });
    if (next == op.operands.end()) return state;
    value = *next;
  }
}

class GradientProgram {
 public:
  GradientProgram(Module& module, const GradientRequest& request, const Program& program, DiagnosticSink& sink)
      : module_(module), request_(request), program_(program), sink_(sink) {
    for (const OpId id : program.body().ops) {
      const View* view = std::get_if<View>(&program.op(id).data);
      const bool wanted = view != nullptr && std::any_of(request.wrt.begin(), request.wrt.end(),
                                                         [&](const Wanted& w) { return w.global == view->global; });
      if (wanted) views_.push_back(id);
    }
  }

  std::optional<ProgramId> build() {
    std::vector<ValueId> wrt;
    for (const OpId id : views_) wrt.push_back(program_.op(id).results.front());
    const std::optional<Analysis> analysis = analyse(module_, program_, wrt, sink_);
    if (!analysis) return std::nullopt;
    Builder out(module_, request_.name, program_.shared_mesh(), sink_,
                BuilderOptions{ProgramKind::program, program_.typed(), program_.location()});
    RegionCopy copy(program_, out, analysis->copy);
    if (!copy.copy(program_.body())) return std::nullopt;
    CopiedPrimals primals(copy);
    Adjoint pass(out, program_, *analysis, primals);
    for (const Cotangent& cotangent : request_.cotangents) start(out, cotangent, pass);
    if (!pass.run(program_.body(), sink_)) return std::nullopt;
    for (const Wanted& wanted : request_.wrt) append_output(out, wanted, pass);
    return out.finish();
  }

 private:
  /// The cotangent of an output. One device stands for copies; a block that several return has a term from each.
  void start(Builder& out, const Cotangent& cotangent, Adjoint& pass) const {
    const Output& output = program_.outputs()[cotangent.output];
    const ReturnPart& part = output.parts.front();
    Emitter at(out, part.location);
    States states = program_.value(part.value).type.states;
    for (size_t i = 0; i < states.size(); ++i) states[i] = intended_state(program_, part.value, i);
    ValueId seed = cotangent.global ? block_of(at, output, *cotangent.global)
                                    : at.constant(Rational(1), program_.value(part.value).type.tensor);
    if (at.typed()) seed = of_copies(at, splitting_axes(part.layout), states, seed);
    pass.give(part.value, seed, part.location);
  }

  static ValueId of_copies(Emitter& at, const AxisSet& splitting, const States& states, ValueId seed) {
    Group one_device, terms;
    for (size_t i = 0; i < states.size(); ++i) {
      const bool splits = splitting.contains(AxisId(i));
      const bool equal = states[i] == State::invariant;
      if (!splits && states[i] == State::replicated) one_device.axes.emplace_back(i);
      if (splits && equal && at.builder().type(seed).states[i] == State::varying) terms.axes.emplace_back(i);
    }
    if (!one_device.empty()) seed = at.op(ConvertState{one_device, State::partial, 0}, {seed});
    if (terms.empty()) return seed;
    return at.op(AllReduce{terms, std::nullopt}, {at.op(Reinterpret{terms, State::partial}, {seed})});
  }

  /// The device's block of a global that is laid out as the output, with zeros for padding.
  static ValueId block_of(Emitter& at, const Output& output, GlobalId global) {
    const Layout& layout = output.parts.front().layout;
    ValueId block = at.op(View{global, layout, {}, Coverage{}}, {});
    int64_t dim = 0;
    for (size_t d = 0; d < layout.size(); ++d) {
      if (layout[d].split == Split::stack) continue;
      if (layout[d].split == Split::uneven) {
        const Shape shape = at.shape(block);
        const ValueId index = at.op(Iota{DType::i32, shape, dim}, {});
        const ValueId size = at.op(BlockSize{global, layout, static_cast<int64_t>(d)}, {});
        block = at.where(at.compare(Direction::lt, index, at.broadcast(size, {}, shape)), block);
      }
      ++dim;
    }
    return block;
  }

  void append_output(Builder& out, const Wanted& wanted, Adjoint& pass) const {
    const Global& global = module_.global(wanted.global);
    std::vector<ViewGradient> parts;
    for (const OpId id : views_) {
      const Op& op = program_.op(id);
      const View& view = std::get<View>(op.data);
      if (view.global != wanted.global) continue;
      const ValueId read = op.results.front();
      parts.push_back(
          {view, program_.value(read).type.states, pass.cotangent_or_zeros(read, op.location), op.location});
    }
    LaidOutGradient whole = append_global_gradient(out, global, parts);
    out.output(wanted.name, whole.value, std::move(whole.layout), parts.empty() ? global.location : parts[0].location,
               global.type);
  }

  Module& module_;
  const GradientRequest& request_;
  const Program& program_;
  DiagnosticSink& sink_;
  std::vector<OpId> views_;  ///< of the globals that are wanted
};

/// What is returned has to be one value on all devices, or its gradient is not that of anything.
bool check_outputs(const GradientRequest& request, const Program& program, DiagnosticSink& sink,
                   const Location& location) {
  for (const Cotangent& cotangent : request.cotangents) {
    const Output& output = program.outputs()[cotangent.output];
    const ReturnPart& part = output.parts.front();
    const Value& value = program.value(part.value);
    for (size_t i = 0; i < value.type.states.size() && program.typed(); ++i) {
      const State state = value.type.states[i];
      const bool splits = splitting_axes(part.layout).contains(AxisId(i));
      if (state != State::partial && (state != State::varying || splits)) continue;
      const std::string axis = program.mesh().axes()[i].name;
      const Location& returned = part.location;
      sink.error("A-loss", returned.known() ? returned.within(location, "differentiated here") : location,
                 "@" + program.name() + " returns %" + value.name + " as @" + output.name + ", which is " +
                     letter(state) + " over `" + axis + "`, " +
                     (state == State::partial ? "a term of a sum on each device; all_reduce it first"
                                              : "a value of each device's own; expected one value: sum it (partial={" +
                                                    axis + "} on the reduce) and all_reduce it"));
      return false;
    }
  }
  return true;
}

bool check_globals(const Module& module, const GradientRequest& request, const Program& program, DiagnosticSink& sink,
                   const Location& location) {
  for (const Wanted& wanted : request.wrt) {
    const Global& global = module.global(wanted.global);
    if (!global.has_gradient()) {
      sink.error("A-wrt", location,
                 "wrt: @" + global.name + " is " + to_string(global.type) + " " + std::string(name(global.role)) +
                     " and has no gradient; expected a param or an input of a float dtype");
      return false;
    }
    const Op* inner = find_view_of_callees(module, program, wanted.global);
    if (inner == nullptr) continue;
    sink.error("A-view", inner->location,
               "a func views @" + global.name +
                   ", whose gradient is wanted; expected the view in the program, and an "
                   "argument of the func")
        .note(location, "the gradient is asked for here");
    return false;
  }
  return true;
}

}  // namespace

bool has_gradient(const Program& program, const Output& output) {
  return program.value(output.parts.front().value).type.has_gradient;
}

bool reads(const Program& program, GlobalId global) { return find_view(program, global) != nullptr; }

std::optional<ProgramId> build_gradient_program(Module& module, const GradientRequest& request, DiagnosticSink& sink,
                                                const Location& location) {
  const Program original = module.program(request.program);  // a copy: the module grows
  if (original.typed() == request.unchecked) {
    sink.error("A-untyped", location,
               original.typed() ? "@" + original.name() +
                                      " is typed: its states say what a gradient means; leave "
                                      "convention=shard_map_unchecked out, or expected an untyped program"
                                : "@" + original.name() +
                                      " is untyped: gradients follow from the states of values, and it has none; "
                                      "expected a typed program, or convention=shard_map_unchecked, the gradients of "
                                      "the sum of all devices' losses");
    return std::nullopt;
  }
  if (!check_outputs(request, original, sink, location)) return std::nullopt;
  if (!check_globals(module, request, original, sink, location)) return std::nullopt;
  const std::optional<Program> program = hoist_views(module, original, sink);
  if (!program) return std::nullopt;
  return GradientProgram(module, request, *program, sink).build();
}

}  // namespace isoshard::autodiff
