#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/ir/all_ops.h"
#include "core/ir/types/value.h"
#include "core/support/long_list.h"
#include "core/support/rare_list.h"
#include "core/support/shared.h"

namespace isoshard {

/// A body: block arguments, ops in order, results; bodies capture nothing. A region of an op comes before the op: its
/// values and ops have smaller ids.
struct Region {
  std::vector<ValueId> arguments;
  std::vector<OpId> ops;
  std::vector<ValueId> results;
};

/// One operation; its fields live in the payload, everything else is common to all ops.
struct Op {
  OpData data;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  RareList<Region> regions;
  Location location;
  RareList<Diagnostic> state_errors;  ///< they never stop construction (docs/spec/states.md, "State errors")
};

/// A value and where its blocks stand in the output or updated global.
struct ReturnPart {
  ValueId value;
  Layout layout;
  Location location;
};

/// A named result of a program, or the next-step value of a global: one whole array assembled from its parts by their
/// layouts.
struct Output {
  std::string name;  ///< without `@`; of an update the global's
  TensorType type;   ///< of the whole array
  std::vector<ReturnPart> parts;
  GlobalId updates{};  ///< the global whose next-step value this is; invalid for a result
};

enum class ProgramKind : uint8_t {
  program,   ///< reads globals through views, ends in `return @name = %v [layout]`
  function,  ///< has parameters, ends in `return %v, ...`; reached by `call`
};

/// What every device of a mesh computes: one SSA body over local tensors (the shard_map view).
///
/// Only a Builder makes and changes Programs, so that types and states are always inferred. Copies share what is in
/// them.
class Program {
 public:
  const std::string& name() const { return contents_->name; }
  ProgramKind kind() const { return contents_->kind; }
  /// False for `untyped program`s, which carry only = and V.
  bool typed() const { return contents_->typed; }
  const Mesh& mesh() const { return *contents_->mesh; }
  const std::shared_ptr<const Mesh>& shared_mesh() const { return contents_->mesh; }
  const Location& location() const { return contents_->location; }
  const Region& body() const { return contents_->body; }
  const std::vector<Output>& outputs() const { return contents_->outputs; }
  /// What `update @W = %new [layout]` says, one entry per updated global; it takes effect at the next step.
  const std::vector<Output>& updates() const { return contents_->updates; }

  size_t value_count() const { return contents_->values.size(); }
  size_t op_count() const { return contents_->ops.size(); }
  const Value& value(ValueId id) const { return contents_->values[id.index()]; }
  const Op& op(OpId id) const { return contents_->ops[id.index()]; }
  /// The program, a function, as those see it that call it.
  FunctionSignature signature() const;
  /// All state errors in op order, callees included only through their own programs.
  std::vector<Diagnostic> state_errors() const;

 private:
  friend class OpenProgram;
  struct Contents {
    std::string name;
    ProgramKind kind = ProgramKind::program;
    bool typed = true;
    std::shared_ptr<const Mesh> mesh;
    Location location;
    Region body;
    LongList<Value> values;
    LongList<Op> ops;
    std::vector<Output> outputs, updates;
    std::vector<Diagnostic> return_errors;  ///< state errors of the return row
  };
  Program() : contents_(Contents{}) {}
  Contents& own() { return contents_.own(); }

  Shared<Contents> contents_;
};

}  // namespace isoshard
