#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "parallel/module/param_spec.h"

/// A light module layer: scopes with the names, parameters and keys that Flax would give them
/// (docs/adr/0018-modules.md).
namespace isoshard {

/// Gives a module the value of a parameter: for all layers that are not yet sliced, in a leading dimension each, and
/// the device's block of a dimension that is sharded.
using ParamReader = std::function<ValueId(ModelBuilder& m, const ParamSpec& spec)>;

/// The parameters that the modules of one program declare, in order.
///
/// Each becomes a global called `prefix` and its path, joined by dots: `@module.sharded.kernel`.
class Params {
 public:
  explicit Params(std::string prefix = "") : prefix_(std::move(prefix)) {}

  /// Declares the parameter and reads it through a view (C-param where the name is taken).
  ValueId read(ModelBuilder& m, ParamSpec spec);
  const std::vector<ParamSpec>& specs() const { return specs_; }
  const std::string& prefix() const { return prefix_; }
  std::string global_name(const ParamSpec& spec) const;

 private:
  std::string prefix_;
  std::vector<ParamSpec> specs_;
};

class Scope;
/// A module: what it makes of its input, with the parameters of its own scope.
using ModuleFn = std::function<ValueId(Scope& self, ValueId x)>;

/// The place of one module in the tree of modules while a program is built. Scopes of siblings do not share names, keys
/// or counters.
class Scope {
 public:
  /// The root: its parameters come from `reader`.
  Scope(ModelBuilder& m, ParamReader reader);
  Scope(ModelBuilder& m, Params& params);

  ModelBuilder& m() const;
  const std::vector<std::string>& path() const { return path_; }

  /// The scope of a child with that name; a name that is taken is an error (C-param).
  Scope child(const std::string& name);
  /// The scope of a child without a name, called as Flax does: `Dense_0`, then `Dense_1`.
  Scope next_child(const std::string& class_name);
  /// This scope with all parameters below it transformed.
  Scope transformed(ParamTransform transform) const;
  /// This scope inside a scan over micro-batches, which splits the keys of `dropout` and nothing else: parameters are
  /// those of all iterations. Variables, and keys of streams other than `params` and `dropout`, are errors
  /// (C-pipeline).
  Scope in_micro_batches() const;

  /// A parameter of this module, local shape `shape`: R where no enclosing wrapper stacks it, V over the axes of those.
  /// What shard_module_params has split is gathered here.
  ValueId param(const std::string& name, const Initializer& initializer, const Shape& shape);
  /// A value of another collection (running statistics): not stacked by wrappers, no gradient.
  ValueId variable(const std::string& name, const Initializer& initializer, const Shape& shape);

  /// This scope, its module's result being one term of a sum over `axis`: what it contracts or adds is P there.
  Scope giving_terms(const Group& axis) const;
  /// The axes over which this module's result is a term of a sum; not those of its children.
  const Group& terms() const { return terms_; }

  /// Sets the base key of a stream (`dropout`) for this scope and everything below it.
  void set_key(const std::string& stream, ValueId key);
  /// The next key of `stream` in this scope: Flax's make_rng. Wrappers do not fold it, scans split it. A stream without
  /// a key is an error (C-key).
  ValueId make_key(const std::string& stream);

  /// How many scans that split `stream` enclose the scope: those over layers, and for `dropout` those over
  /// micro-batches.
  int64_t scans(const std::string& stream) const;
  /// What the region of this scope holds of a parameter below it: blocks that this region gathers are whole.
  ValueId value_of(const ParamSpec& spec) const;

  struct Frame;
  const std::shared_ptr<Frame>& frame() const { return frame_; }
  /// The same place in the tree, in another region of the program.
  Scope in_frame(std::shared_ptr<Frame> frame) const;

 private:
  struct Names;
  Scope() = default;
  bool take(const std::string& name);
  ValueId read(const std::string& name, const Initializer& initializer, const Shape& shape, bool is_param);

  std::shared_ptr<Frame> frame_;
  std::shared_ptr<Names> names_;  ///< of this module, shared by copies of the scope
  std::vector<std::string> path_;
  std::vector<ParamTransform> transforms_;
  int64_t micro_batch_scans_ = 0;
  Group terms_;
};

/// One region of the program: its body, or the body of a scan.
struct Scope::Frame {
  ModelBuilder* m = nullptr;
  ParamReader reader;
  std::map<std::string, ValueId> keys{};  ///< base key of each stream
  /// How many keys of a stream each scope draws, by stream and path; null where they are being counted. Only scans need
  /// it.
  std::shared_ptr<std::map<std::string, int64_t>> draws{};
  bool counting = false;
};

}  // namespace isoshard
