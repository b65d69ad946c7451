// A Builder with short methods, for models written in C++. It adds no meaning: each method appends the ops that its
// name says, and types, states and errors come from the Builder (docs/adr/0003-states-are-inferred-by-the-builder.md).
// After an error a method gives an invalid value, and every method passes invalid operands on as an invalid result, so
// that a model needs no checks of its own and reports an error once. Where typed and untyped programs differ, as in the
// state that a collective ends in, the method decides.
#include "parallel/module/model_builder.h"

#include <utility>

#include "core/support/check.h"

namespace isoshard {

GlobalId declare(Module& module, std::string name, Shape shape, Role role, InitKind init, Location location) {
  ISOSHARD_CHECK(!module.find_global(name), "the global is declared twice");
  module.globals.push_back(
      Global{std::move(name), TensorType{DType::f32, std::move(shape)}, role, Init{init, {}}, std::move(location)});
  return GlobalId(module.globals.size() - 1);
}

GlobalId declare_ids(Module& module, std::string name, Shape shape, Location location) {
  const GlobalId id =
      declare(module, std::move(name), std::move(shape), Role::input, InitKind::uniform, std::move(location));
  module.globals[id.index()].type.dtype = DType::i32;
  return id;
}

GlobalId declare_key(Module& module, std::string name, Location location) {
  const GlobalId id = declare(module, std::move(name), {}, Role::key, InitKind::normal, std::move(location));
  module.globals[id.index()].type.dtype = DType::key;
  return id;
}

ModelBuilder::ModelBuilder(Module& module, std::string name, std::shared_ptr<const Mesh> mesh, DiagnosticSink& sink,
                           Location location)
    : ModelBuilder(module, std::move(name), std::move(mesh), sink,
                   BuilderOptions{ProgramKind::program, true, std::move(location)}) {}

ModelBuilder::ModelBuilder(Module& module, std::string name, std::shared_ptr<const Mesh> mesh, DiagnosticSink& sink,
                           BuilderOptions options)
    : module_(module), sink_(sink), builder_(module, std::move(name), std::move(mesh), sink, std::move(options)) {}

ValueId ModelBuilder::error(std::string rule, std::string message, Location location) {
  sink_.error(std::move(rule), std::move(location), std::move(message));
  return {};
}

Group ModelBuilder::group(std::string_view axis) const {
  const std::optional<AxisId> id = builder_.mesh().find(axis);
  ISOSHARD_CHECK(id.has_value(), "the mesh has no such axis");
  return Group{{*id}};
}

ViewEntry ModelBuilder::split(std::string_view axis, int64_t offset) const { return ViewEntry{group(axis), offset}; }

ValueId ModelBuilder::view(GlobalId global, Layout layout, std::string name, const Group& invariant,
                           Location location) {
  return builder_.add_op(View{global, std::move(layout), invariant.set()}, {}, std::move(name), std::move(location));
}

ValueId ModelBuilder::constant_like(ValueId like, const Rational& value, std::string name, Location location) {
  if (!like.valid()) return {};
  const TensorType& type = builder_.type(like).tensor;
  return builder_.add_op(Constant{value, type.dtype, type.shape}, {}, std::move(name), std::move(location));
}

ValueId ModelBuilder::op(OpData data, std::vector<ValueId> operands, std::string name, Location location) {
  return builder_.add_op(std::move(data), std::move(operands), std::move(name), std::move(location));
}

ValueId ModelBuilder::broadcast_like(ValueId value, std::vector<int64_t> dims, ValueId like, std::string name,
                                     Location location) {
  if (!value.valid() || !like.valid()) return {};
  return op(BroadcastInDim{std::move(dims), shape(like)}, {value}, std::move(name), std::move(location));
}

ValueId ModelBuilder::with_constant(OpData data, ValueId x, const Rational& value, std::string name,
                                    Location location) {
  return op(std::move(data), {x, constant_like(x, value, "", location)}, std::move(name), std::move(location));
}

ValueId ModelBuilder::add(ValueId a, ValueId b, std::string name, Location location) {
  return builder_.add_op(Add{}, {a, b}, std::move(name), std::move(location));
}

ValueId ModelBuilder::multiply(ValueId a, ValueId b, std::string name, Location location) {
  return builder_.add_op(Multiply{}, {a, b}, std::move(name), std::move(location));
}

ValueId ModelBuilder::tanh(ValueId x, std::string name, Location location) {
  return builder_.add_op(Tanh{}, {x}, std::move(name), std::move(location));
}

ValueId ModelBuilder::logistic(ValueId x, std::string name, Location location) {
  return builder_.add_op(Logistic{}, {x}, std::move(name), std::move(location));
}

ValueId ModelBuilder::sum(const std::vector<ValueId>& terms, const std::string& name, const Location& location) {
  ISOSHARD_CHECK(!terms.empty(), "a sum needs at least one term");
  ValueId total = terms.front();
  for (size_t i = 1; i < terms.size(); ++i) {
    const bool last = i + 1 == terms.size();
    total = add(total, terms[i], last ? name : std::string(), location);
  }
  return total;
}

ValueId ModelBuilder::stack(const std::vector<ValueId>& values, std::string name, const Location& location) {
  std::vector<ValueId> parts;
  for (const ValueId value : values) {
    if (!value.valid()) return {};
    Shape part = shape(value);
    part.insert(part.begin(), 1);
    parts.push_back(op(Reshape{std::move(part)}, {value}, "", location));
  }
  return op(Concatenate{0}, std::move(parts), std::move(name), location);
}

ValueId ModelBuilder::slice(ValueId x, int64_t dim, int64_t start, int64_t limit, std::string name,
                            const Location& location) {
  if (!x.valid()) return {};
  Shape to = shape(x), from(to.size(), 0);
  const auto at = static_cast<size_t>(dim < 0 ? dim + std::ssize(to) : dim);
  from[at] = start;
  to[at] = limit;
  return op(Slice{std::move(from), std::move(to), {}}, {x}, std::move(name), location);
}

ValueId ModelBuilder::element(ValueId x, int64_t index, std::string name, const Location& location) {
  if (!x.valid()) return {};
  Shape rest(shape(x).begin() + 1, shape(x).end());
  const ValueId row = slice(x, 0, index, index + 1, "", location);
  return op(Reshape{std::move(rest)}, {row}, std::move(name), location);
}

ValueId ModelBuilder::broadcast_rows(ValueId vector, int64_t rows, std::string name, Location location) {
  if (!vector.valid()) return {};
  return builder_.add_op(BroadcastInDim{{1}, Shape{rows, shape(vector).front()}}, {vector}, std::move(name),
                         std::move(location));
}

ValueId ModelBuilder::matmul(ValueId a, ValueId b, std::string name, const Group& partial, Location location) {
  return builder_.add_op(DotGeneral{DimPairs{{1}, {0}}, partial.set()}, {a, b}, std::move(name), std::move(location));
}

ValueId ModelBuilder::all_reduce(ValueId x, Group axis, State to, std::string name, Location location) {
  const std::optional<State> state = typed() ? std::optional(to) : std::nullopt;
  return builder_.add_op(AllReduce{std::move(axis), state}, {x}, std::move(name), std::move(location));
}

ValueId ModelBuilder::reinterpret(ValueId x, Group axis, State to, std::string name, Location location) {
  return builder_.add_op(Reinterpret{std::move(axis), to}, {x}, std::move(name), std::move(location));
}

ValueId ModelBuilder::all_gather(ValueId x, Group axis, int64_t dim, std::string name, Location location) {
  if (!x.valid()) return {};
  std::optional<State> to;
  if (typed() && builder_.type(x).has_gradient) to = State::replicated;
  return builder_.add_op(AllGather{std::move(axis), dim, to}, {x}, std::move(name), std::move(location));
}

ValueId ModelBuilder::shift(ValueId x, Group axis, int64_t by, std::string name, Location location) {
  return builder_.add_op(CollectivePermute{std::move(axis), by, {}, PermuteOrder::unspecified}, {x}, std::move(name),
                         std::move(location));
}

void ModelBuilder::output(std::string name, ValueId value, Layout layout, Location location) {
  builder_.output(std::move(name), value, std::move(layout), std::move(location));
}

namespace {

Rational decimal(std::string_view text) {
  const std::optional<Rational> value = Rational::parse(text);
  ISOSHARD_CHECK(value.has_value(), "the constant is no decimal");
  return *value;
}

ValueId gelu(ModelBuilder& m, ValueId x, std::string name, const Location& where) {
  const auto times = [&](ValueId v, std::string_view c) {
    return m.multiply(v, m.constant_like(v, decimal(c), "", where), "", where);
  };
  const ValueId square = m.multiply(x, x, "", where);
  const ValueId cube = m.multiply(square, x, "", where);
  const ValueId inner = m.add(x, times(cube, "0.044715"), "", where);
  const ValueId t = m.tanh(times(inner, "0.7978845608"), "", where);  // sqrt(2/pi)
  const ValueId gate = m.add(t, m.constant_like(t, Rational(1), "", where), "", where);
  return m.multiply(times(x, "0.5"), gate, std::move(name), where);
}

}  // namespace

ValueId activate(ModelBuilder& builder, Activation activation, ValueId x, std::string name, const Location& location) {
  if (activation == Activation::gelu) return gelu(builder, x, std::move(name), location);
  return builder.multiply(x, builder.logistic(x, "", location), std::move(name), location);
}

}  // namespace isoshard
