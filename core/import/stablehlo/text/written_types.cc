// A text says the types of operands again behind each op, and those of results in front of each function. MLIR refuses
// one that contradicts itself, and so do we, also in regions that are known by their form and never made: what was
// changed by hand in one place only is told there. Cost: one walk, a lookup for each operand.
#include "core/import/stablehlo/text/written_types.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "core/support/quoted.h"

namespace isoshard::stablehlo {
namespace {

/// Ops whose rules read one operand.
bool takes_one(std::string_view name) {
  static constexpr std::string_view kOfOne[] = {"bitcast_convert", "broadcast_in_dim", "convert", "reduce_precision",
                                                "reshape",         "reverse",          "slice",   "transpose"};
  constexpr std::string_view kDialect = "stablehlo.";
  return name.starts_with(kDialect) &&
         std::find(std::begin(kOfOne), std::end(kOfOne), name.substr(kDialect.size())) != std::end(kOfOne);
}

/// The type that operand i is written with; null where the text has none. One is that of all, and of a select with two
/// the predicate's stands first.
const TensorType* written_type(const Operation& op, size_t i) {
  const std::vector<TensorType>& types = op.operand_types;
  if (types.size() == op.operands.size()) return &types[i];
  if (types.size() == 1) return &types[0];
  const bool select = op.name == "stablehlo.select" && types.size() == 2;
  return select ? &types[i == 0 ? 0 : 1] : nullptr;
}

class WrittenTypes {
 public:
  WrittenTypes(const ModuleText& text, DiagnosticSink& sink) : text_(text), sink_(sink) {}

  bool hold(const Function& function) {
    if (!hold(function.body, nullptr)) return false;
    if (function.body.operations.empty()) return true;
    const Operation& end = function.body.operations.back();
    const std::string name = "@" + std::string(function.name);
    if (end.operands.size() != function.results.size()) {
      return fail("M-type", end,
                  name + " returns " + std::to_string(end.operands.size()) + " values and is written with " +
                      std::to_string(function.results.size()) + " results; expected as many");
    }
    for (size_t i = 0; i < end.operand_types.size() && i < function.results.size(); ++i) {
      if (end.operand_types[i] == function.results[i].type) continue;
      return fail("M-type", end,
                  "result " + std::to_string(i) + " of " + name + " is " + to_string(end.operand_types[i]) +
                      " and is written with " + to_string(function.results[i].type) +
                      "; expected the type of what it returns");
    }
    return true;
  }

 private:
  struct Names {
    const Names* around;
    std::map<std::string_view, std::vector<TensorType>> types{};

    const TensorType* find(const ValueUse& use) const {
      for (const Names* names = this; names != nullptr; names = names->around) {
        const auto found = names->types.find(use.name);
        if (found != names->types.end()) return use.index < found->second.size() ? &found->second[use.index] : nullptr;
      }
      return nullptr;
    }
  };

  bool fail(std::string_view rule, const Operation& op, std::string message) {
    sink_.error(std::string(rule), text_.location(op.span), std::move(message));
    return false;
  }

  bool undefined(const ValueUse& use) {
    sink_.error("M-value", text_.location(use.span),
                "nothing before defines %" + std::string(use.name) +
                    (use.index > 0 ? "#" + std::to_string(use.index) : "") + "; the text may be cut or mixed up");
    return false;
  }

  bool hold(const Region& region, const Names* around) {
    Names names{around};
    for (const BlockArgument& argument : region.arguments) names.types[argument.name] = {argument.type};
    for (const Operation& op : region.operations) {
      if (!holds(op, names)) return false;
      define(op, names);
    }
    return true;
  }

  static void define(const Operation& op, Names& names) {
    if (op.result.empty()) return;
    names.types[op.result] = op.result_types;
    for (size_t i = 0; i < op.further_results.size() && i + 1 < op.result_types.size(); ++i) {
      names.types[op.further_results[i]] = {op.result_types[i + 1]};
    }
  }

  bool holds(const Operation& op, const Names& names) {
    if (!op.result.empty() && names.find(ValueUse{op.result, 0, op.span}) != nullptr) {
      return fail("M-value", op, "%" + std::string(op.result) + " is defined a second time; expected a new name");
    }
    if (op.operands.size() > 1 && takes_one(op.name)) {
      return fail("M-operands", op,
                  quoted(op.name) + " has " + std::to_string(op.operands.size()) + " operands; expected one");
    }
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const TensorType* type = written_type(op, i);
      const TensorType* made = names.find(op.operands[i]);
      if (made == nullptr && names.around != nullptr) return undefined(op.operands[i]);  // may never be lowered
      if (made == nullptr) continue;
      if (type == nullptr || *type == *made) continue;
      return fail("M-type", op,
                  "operand " + std::to_string(i) + " of " + quoted(op.name) + " is " + to_string(*made) +
                      " and is written with " + to_string(*type) + "; expected the type that it was made with");
    }
    return std::all_of(op.regions.begin(), op.regions.end(), [&](const Region& r) { return hold(r, &names); });
  }

  const ModuleText& text_;
  DiagnosticSink& sink_;
};

}  // namespace

bool agrees_with_itself(const ModuleText& text, DiagnosticSink& sink) {
  WrittenTypes types(text, sink);
  return std::all_of(text.functions.begin(), text.functions.end(), [&](const Function& f) { return types.hold(f); });
}

}  // namespace isoshard::stablehlo
