#pragma once  // internal

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/text/elaborate/elaborate_operands.h"
#include "core/text/elaborate/elaboration.h"
#include "core/text/elaborate/value_names.h"

namespace isoshard::text {

/// The scans of one program or func: headers, bodies, yields.
///
/// A body is elaborated again while the states of its carries are found, so nothing in it may depend on how often that
/// happens: states that are written are checked in the last run only (Elaboration::states_settled).
class Scans {
 public:
  /// `block` elaborates the statements of a body; `scope` is the program's own and may change between calls.
  Scans(Elaboration& elaboration, Builder& builder, ValueNames& names, Operands& operands, const Scope& scope,
        std::function<void(const Block&)> block)
      : elaboration_(elaboration),
        builder_(builder),
        names_(names),
        operands_(operands),
        scope_(scope),
        block_(std::move(block)) {}

  /// Its results; fewer, or invalid ones, after an error.
  std::vector<ValueId> scan(const ScanSyntax& syntax, const std::vector<std::string>& result_names, const Span& span);
  void yield(const YieldSyntax& syntax, const Span& span);
  /// Reports a statement after the yield of a body.
  bool may_go_on(const Span& span);
  bool open() const { return !yields_.empty(); }

  /// The types in the header of `syntax`, with the values that they describe.
  std::vector<std::pair<const TypeSyntax*, ValueId>> annotations(const ScanSyntax& syntax,
                                                                 const std::vector<ValueId>& results) const;

 private:
  bool read(const std::vector<BindingSyntax>& bindings, std::vector<ValueId>& outside,
            std::vector<std::string>& inside);
  bool read_header(const ScanSyntax& syntax, ScanOperands& operands);
  std::optional<ScanYield> body(const ScanSyntax& syntax, const ScanOperands& operands, const ScanArguments& arguments,
                                const Span& span);
  void define(const std::vector<BindingSyntax>& bindings, const std::vector<std::string>& names,
              const std::vector<ValueId>& values);
  void find(const std::vector<Operand>& operands, std::vector<ValueId>& values);

  Elaboration& elaboration_;
  Builder& builder_;
  ValueNames& names_;
  Operands& operands_;
  const Scope& scope_;
  std::function<void(const Block&)> block_;
  std::vector<std::optional<ScanYield>> yields_;  ///< of open bodies, innermost last
};

}  // namespace isoshard::text
