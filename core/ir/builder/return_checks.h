#pragma once  // internal

#include <optional>
#include <string>
#include <vector>

#include "core/ir/module.h"

namespace isoshard {

/// The rules of `return @name = %value [layout]` and `update @global = %value [layout]` (docs/spec/states.md, "Rows of
/// the state table"; docs/spec/views.md, "Updates"), asked of a program under construction. Shape errors go to the
/// sink.
class ReturnChecks {
 public:
  /// All arguments must outlive it.
  ReturnChecks(const Program& program, const Module& module, DiagnosticSink& sink)
      : program_(program), module_(module), sink_(sink) {}

  /// The whole array of an output, where blocks as large as `value` tile it; nothing after an error. Uneven layouts
  /// need the declared type.
  std::optional<TensorType> output_type(const std::string& name, ValueId value, const Layout& layout,
                                        const std::optional<TensorType>& declared, const Location& location) const;
  /// Whether `value` in `layout` may be the next-step value of `global`, or a part of it.
  bool can_update(const Global& global, ValueId value, const Layout& layout, const Location& location) const;
  /// The state errors (S-return) of a part of @`name` that `statement` returns.
  std::vector<Diagnostic> state_errors(const ReturnPart& part, const std::string& name,
                                       const std::string& statement) const;
  /// Whether results and updates have different names: reports and archives name both.
  bool names_differ() const;
  /// Whether the parts of each updated global make it up, once.
  bool updates_cover() const;
  /// Whether views read what they declare and outputs are made up, once.
  bool views_and_outputs_cover() const;

 private:
  const Mesh& mesh() const { return program_.mesh(); }

  const Program& program_;
  const Module& module_;
  DiagnosticSink& sink_;
};

}  // namespace isoshard
