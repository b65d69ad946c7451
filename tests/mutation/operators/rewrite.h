#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/builder/builder.h"
#include "tests/property/generator/dice.h"

namespace isoshard::mutation {

using testing::Dice;

/// The results that stand for those of one op; nothing where an operator does not apply.
using Replacement = std::optional<std::vector<ValueId>>;

/// One op of a program that is being copied, where an operator may write something else.
///
/// Values are those of the copy unless they are called original.
class Place {
 public:
  Place(Builder& out, const Program& program, const Op& op, const std::vector<ValueId>& copies,
        const std::vector<ValueId>& visible, uint64_t seed)
      : dice(seed), out_(out), program_(program), op_(op), copies_(copies), visible_(visible) {}

  const Op& op() const { return op_; }
  /// The op as `Data`, or null when it is another one.
  template <class Data>
  const Data* as() const {
    return std::get_if<Data>(&op_.data);
  }
  const Mesh& mesh() const { return program_.mesh(); }
  const std::vector<ValueId>& operands() const { return operands_; }
  ValueId operand(size_t i) const { return operands_[i]; }
  /// What the copy of the op has as operands.
  void read_operands();
  /// The original op that makes operand `i`, or null: an argument of the region has none.
  const Op* maker(size_t i) const { return maker_of(op_.operands[i]); }
  const Op* maker_of(ValueId original) const;
  /// The copy of an original value of this region.
  ValueId copy(ValueId original) const { return copies_[original.index()]; }
  /// Values defined before in this region.
  const std::vector<ValueId>& visible() const { return visible_; }

  const TensorType& type(ValueId value) const { return out_.type(value).tensor; }
  const Shape& shape(ValueId value) const { return type(value).shape; }
  bool floats(ValueId value) const { return is_float(type(value).dtype); }
  /// Whether the original result `i` is a float.
  bool float_result(size_t i = 0) const;

  /// Appends ops to the copy; an error of shape ends the whole copy (there is no such mutant).
  std::vector<ValueId> append(OpData data, std::vector<ValueId> operands);
  ValueId add(OpData data, std::vector<ValueId> operands) { return append(std::move(data), std::move(operands))[0]; }
  /// A tensor of one number like `value`.
  ValueId constant(const Rational& number, ValueId like);
  /// Elements [start, limit) along `dim`.
  ValueId slice(ValueId value, int64_t dim, int64_t start, int64_t limit);
  /// The op itself on other operands.
  std::vector<ValueId> again(std::vector<ValueId> operands) { return append(op_.data, std::move(operands)); }

  Dice dice;        ///< the same choices whenever the same place is written
  std::string did;  ///< what the operator did, for the report

 private:
  Builder& out_;
  const Program& program_;
  const Op& op_;
  const std::vector<ValueId>& copies_;
  const std::vector<ValueId>& visible_;
  std::vector<ValueId> operands_;
};

using Apply = std::function<Replacement(Place&)>;

/// A program that differs from another one in one op, or in every op of some kind.
struct Rewritten {
  ProgramId program;
  std::string did;    ///< what was done
  std::string where;  ///< the op, and the value it defines
};

/// Adds a copy of `source`, a program or function, called `name` to `module`, in which `apply` has replaced the op `at`
/// (of any region).
///
/// Nothing where it does not apply or the shapes do not fit. Views of the copy are `incomplete`: an operator may read
/// other blocks. State errors stay with the ops, as always.
std::optional<Rewritten> rewrite(Module& module, ProgramId source, const std::string& name, OpId at, uint64_t seed,
                                 const Apply& apply);

/// The same for every op: those to which `apply` does not apply are copied. Nothing where it applies to none.
std::optional<Rewritten> rewrite_all(Module& module, ProgramId source, const std::string& name, uint64_t seed,
                                     const Apply& apply);

/// The ops of `program`, also inside scans, on which an output, an update or a function's result depends.
std::vector<OpId> live_ops(const Program& program);

}  // namespace isoshard::mutation
