#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/builder/builder.h"

namespace isoshard {

/// Declares an f32 global of `module`.
GlobalId declare(Module& module, std::string name, Shape shape, Role role, InitKind init,
                 Location location = Location::here());
/// Declares an i32 input of `module`: ids, labels.
GlobalId declare_ids(Module& module, std::string name, Shape shape, Location location = Location::here());
/// Declares a scalar key of `module`.
GlobalId declare_key(Module& module, std::string name, Location location = Location::here());

/// A Builder with one short method per op, for people who write models in C++; it adds no meaning of its own.
///
/// Every method takes the result's name (without `%`; empty: made up) and infers and reports as Builder does.
class ModelBuilder {
 public:
  ModelBuilder(Module& module, std::string name, std::shared_ptr<const Mesh> mesh, DiagnosticSink& sink,
               Location location = Location::here());
  /// A function, or a program without states (`typed` false).
  ModelBuilder(Module& module, std::string name, std::shared_ptr<const Mesh> mesh, DiagnosticSink& sink,
               BuilderOptions options);

  Builder& builder() { return builder_; }
  Module& module() { return module_; }
  DiagnosticSink& sink() { return sink_; }
  const Mesh& mesh() const { return builder_.mesh(); }
  /// False in programs that carry only = and V: they have no `to` and no reinterpret.
  bool typed() const { return builder_.program().typed(); }
  /// Reports what the caller cannot build; the invalid value that it returns makes no further errors.
  ValueId error(std::string rule, std::string message, Location location = Location::here());
  /// Any op with one result.
  ValueId op(OpData data, std::vector<ValueId> operands, std::string name = "", Location location = Location::here());
  /// Until the next op is added, which may move it.
  const Shape& shape(ValueId value) const { return builder_.type(value).tensor.shape; }

  /// The group over one axis of the mesh, which must exist.
  Group group(std::string_view axis) const;
  /// A layout entry that splits over `axis`, rotated by `offset` blocks; ViewEntry{} is `-`.
  ViewEntry split(std::string_view axis, int64_t offset = 0) const;

  /// `view @global [layout] as I{invariant}`.
  ValueId view(GlobalId global, Layout layout, std::string name, const Group& invariant = {},
               Location location = Location::here());
  /// `value` in the shape and dtype of `like`.
  ValueId constant_like(ValueId like, const Rational& value, std::string name = "",
                        Location location = Location::here());
  /// `value` repeated along the dimensions of `like` other than `dims`, which are its own.
  ValueId broadcast_like(ValueId value, std::vector<int64_t> dims, ValueId like, std::string name = "",
                         Location location = Location::here());
  /// x combined with the constant `value`, in the order x op value.
  ValueId with_constant(OpData op, ValueId x, const Rational& value, std::string name = "",
                        Location location = Location::here());
  ValueId add(ValueId a, ValueId b, std::string name = "", Location location = Location::here());
  ValueId multiply(ValueId a, ValueId b, std::string name = "", Location location = Location::here());
  ValueId tanh(ValueId x, std::string name = "", Location location = Location::here());
  ValueId logistic(ValueId x, std::string name = "", Location location = Location::here());
  /// A left-to-right chain of adds over at least one value; only the last is named.
  ValueId sum(const std::vector<ValueId>& terms, const std::string& name = "",
              const Location& location = Location::here());
  /// Values of one shape along a new first dimension (jnp.stack).
  ValueId stack(const std::vector<ValueId>& values, std::string name = "", const Location& location = Location::here());
  /// Elements `start` to `limit` along `dim`, from the last one if negative (lax.slice_in_dim).
  ValueId slice(ValueId x, int64_t dim, int64_t start, int64_t limit, std::string name = "",
                const Location& location = Location::here());
  /// x[index] along the first dimension, which it drops.
  ValueId element(ValueId x, int64_t index, std::string name = "", const Location& location = Location::here());
  /// A vector repeated for each of `rows` rows: [n] -> [rows, n].
  ValueId broadcast_rows(ValueId vector, int64_t rows, std::string name = "", Location location = Location::here());
  /// [m, k] x [k, n] -> [m, n]; `partial`: the axes over which k is sharded.
  ValueId matmul(ValueId a, ValueId b, std::string name = "", const Group& partial = {},
                 Location location = Location::here());

  ValueId all_reduce(ValueId x, Group axis, State to, std::string name = "", Location location = Location::here());
  ValueId reinterpret(ValueId x, Group axis, State to, std::string name = "", Location location = Location::here());
  /// The members' blocks joined along `dim`; R in typed programs where the value has a gradient.
  ValueId all_gather(ValueId x, Group axis, int64_t dim, std::string name = "", Location location = Location::here());
  /// Member i of the group sends to member i + shift.
  ValueId shift(ValueId x, Group axis, int64_t by, std::string name = "", Location location = Location::here());

  /// `return @name = %value [layout]`.
  void output(std::string name, ValueId value, Layout layout, Location location = Location::here());
  /// Moves the program into the module; nothing after an error.
  std::optional<ProgramId> finish() { return builder_.finish(); }

 private:
  Module& module_;
  DiagnosticSink& sink_;
  Builder builder_;
};

/// The elementwise activations of the catalogue's models.
enum class Activation : uint8_t {
  gelu,  ///< tanh form: x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) (Hendrycks and Gimpel 2016)
  silu,  ///< x logistic(x)
};

/// Applies `activation`; the result is called `name`.
ValueId activate(ModelBuilder& builder, Activation activation, ValueId x, std::string name,
                 const Location& location = Location::here());

}  // namespace isoshard
