// Joins the blocks of an array, with control of the dtype that travels and of how gradients are added up
// (docs/spec/originals.md, "Sharded parameters"). Where that is what the derivative of all_gather gives, only the op is
// written. Else a func with a backward of its own is made (docs/adr/0021-user-written-derivatives.md), under a name
// that says all it depends on but the type of the block, and one that is there already is used again, so that a model
// of many layers has few of them. Cost: one look through the programs of the module per use.
#include "parallel/module/gather_array.h"

#include <utility>

#include "core/ir/vjp_signature.h"

namespace isoshard {
namespace {

/// Makes the func that gathers blocks of one type, and its backward.
class GatherFunctions {
 public:
  GatherFunctions(ModelBuilder& m, ValueType block, const Group& axis, int64_t dim, const GatherOptions& options,
                  const Location& location)
      : m_(m), block_(std::move(block)), axis_(axis), dim_(dim), options_(options), location_(location) {}

  std::optional<Call> make() {
    const std::optional<ProgramId> known = find(name(), {block_});
    const std::optional<ProgramId> function = known ? known : make_forward();
    if (!function) return std::nullopt;
    const std::vector<ValueType> arguments = vjp_signature(m_.module().function(*function)).arguments;
    const std::optional<ProgramId> backward = find(name() + "_bwd", arguments);
    const std::optional<ProgramId> vjp = backward ? backward : make_backward(arguments);
    if (!vjp) return std::nullopt;
    return Call{*function, *vjp};
  }

 private:
  /// Says everything that the funcs depend on but the type of the block: `gather_mean_fsdp_dim0_bf16_f32`.
  std::string name() const {
    std::string text = options_.mean_gradients ? "gather_mean" : "gather";
    for (const AxisId axis : axis_.axes) text += "_" + m_.mesh().axis(axis).name;
    text += "_dim" + std::to_string(dim_);
    if (options_.gather_dtype) text += "_" + std::string(isoshard::name(*options_.gather_dtype));
    if (options_.grad_scatter_dtype) text += "_grad_" + std::string(isoshard::name(*options_.grad_scatter_dtype));
    return text;
  }

  /// The func of that name that was made for these arguments before.
  std::optional<ProgramId> find(const std::string& name, const std::vector<ValueType>& arguments) const {
    const std::vector<Program>& programs = m_.module().programs;
    for (size_t i = 0; i < programs.size(); ++i) {
      const Program& p = programs[i];
      if (p.name() != name || p.kind() != ProgramKind::function || p.typed() != m_.typed()) continue;
      std::vector<ValueType> types;
      for (const ValueId id : p.body().arguments) types.push_back(p.value(id).type);
      if (types == arguments && p.mesh() == m_.mesh()) return ProgramId(i);
    }
    return std::nullopt;
  }

  ModelBuilder function(const std::string& name) {
    return ModelBuilder(m_.module(), name, m_.builder().program().shared_mesh(), m_.sink(),
                        BuilderOptions{ProgramKind::function, m_.typed(), location_});
  }

  ValueId converted(ModelBuilder& f, ValueId x, DType to) const {
    return f.builder().type(x).tensor.dtype == to ? x : f.op(Convert{to}, {x}, "", location_);
  }

  std::optional<ProgramId> make_forward() {
    ModelBuilder f = function(name());
    const ValueId x = f.builder().argument("x", block_, location_);
    const ValueId sent = converted(f, x, options_.gather_dtype.value_or(block_.tensor.dtype));
    f.builder().results({f.all_gather(sent, axis_, dim_, "y", location_)}, location_);
    return f.finish();
  }

  std::optional<ProgramId> make_backward(const std::vector<ValueType>& arguments) {
    ModelBuilder f = function(name() + "_bwd");
    f.builder().argument("x", arguments.at(0), location_);
    const ValueId g = f.builder().argument("g", arguments.at(1), location_);
    const ValueId sent = converted(f, g, options_.grad_scatter_dtype.value_or(block_.tensor.dtype));
    ValueId sum = f.op(ReduceScatter{axis_, dim_}, {sent}, "", location_);
    if (options_.mean_gradients) {
      sum = f.with_constant(Divide{}, sum, Rational(f.mesh().size(axis_)), "", location_);
    }
    f.builder().results({converted(f, sum, block_.tensor.dtype)}, location_);
    return f.finish();
  }

  ModelBuilder& m_;
  ValueType block_;
  const Group& axis_;
  int64_t dim_;
  const GatherOptions& options_;
  const Location& location_;
};

}  // namespace

ValueId gather_array(ModelBuilder& m, ValueId x, const Group& axis, int64_t dim, const GatherOptions& options,
                     const Location& location) {
  if (!x.valid()) return {};
  const ValueType type = m.builder().type(x);
  const DType dtype = options.gather_dtype.value_or(type.tensor.dtype);
  const bool derived = !options.mean_gradients && options.grad_scatter_dtype.value_or(dtype) == dtype &&
                       (options.grad_scatter_dtype || dtype == type.tensor.dtype);
  if (derived || !type.has_gradient) {
    const ValueId sent = dtype == type.tensor.dtype ? x : m.op(Convert{dtype}, {x}, "", location);
    return m.all_gather(sent, axis, dim, "", location);
  }
  const std::optional<Call> call = GatherFunctions(m, type, axis, dim, options, location).make();
  if (!call) return {};
  return m.op(*call, {x}, "", location);
}

ValueId gather_array_with_mean_grads(ModelBuilder& m, ValueId x, const Group& axis, int64_t dim, GatherOptions options,
                                     const Location& location) {
  options.mean_gradients = true;
  return gather_array(m, x, axis, dim, options, location);
}

}  // namespace isoshard
