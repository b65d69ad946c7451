#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/types/type.h"
#include "core/support/location.h"

/// StableHLO as MLIR prints it, before it means anything (docs/jax.md, "What is read"). All texts are parts of the
/// source, which `ModuleText::file` keeps alive.
namespace isoshard::stablehlo {

/// Bytes [begin, end) of the source.
struct Span {
  size_t begin = 0;
  size_t end = 0;
};

/// The value of an attribute, or a location. What the printed forms of attributes have in common is kept: `#name<...>`,
/// `<...>`, `{...}` and `[...]` are lists, whose `key = value` parts are fields.
struct Attribute {
  enum class Kind : uint8_t {
    unit,      ///< a key alone
    number,    ///< `text`, a type behind it dropped
    string,    ///< `text` without quotes; escapes stay as they are
    word,      ///< `true`, `DEFAULT`, an enumerator, a type
    symbol,    ///< `@name`, without @
    alias,     ///< `#loc4`, without #
    list,      ///< `items`, and `fields`; `text` is the name in front, if any
    product,   ///< `[..] x [..]`, `[..]x[..]->[..]`, or `a : b`: items
    elements,  ///< `dense<...>`: `text` is what is between < and >, `type` that of the array
  };
  Kind kind = Kind::unit;
  Span span;
  std::string_view text{};
  std::vector<Attribute> items{};
  std::vector<Attribute> fields{};
  std::string_view key{};  ///< of a field
  std::optional<TensorType> type{};

  /// The value of a field, or null.
  const Attribute* find(std::string_view wanted) const;
};

/// The field `key = value`.
inline Attribute field_of(std::string_view key, Attribute value) {
  value.key = key;
  return value;
}

/// `%0#1`: one of the values that `%0:2` defines.
struct ValueUse {
  std::string_view name;
  uint32_t index = 0;
  Span span;
};

struct Region;

/// One operation, in one form whether it was printed prettily or generically.
struct Operation {
  std::string_view name;  ///< `stablehlo.add`; `return` and `call` with `func.` in front
  Span span;
  std::string_view result;  ///< the name of its results, without %; empty where it has none
  uint32_t result_count = 0;
  std::vector<std::string_view> further_results;  ///< `%values, %indices = ...`
  std::vector<ValueUse> operands;
  Attribute attributes;          ///< fields
  std::vector<Attribute> words;  ///< of pretty forms without a key: `LT`, `SIGNED`, ranges, elements, shardings
  std::vector<Region> regions;
  std::vector<TensorType> operand_types;
  std::vector<TensorType> result_types;
  Attribute location{};

  const Attribute* find(std::string_view key) const { return attributes.find(key); }
  /// Whether it ends a region: it is the last one of each that has any, and nowhere else.
  bool returns() const { return name == "func.return" || name == "stablehlo.return" || name == "sdy.return"; }
  /// The last word of an enumerator's attribute, `LT` of `#stablehlo<comparison_direction LT>`, or what the pretty form
  /// has at place `word`; empty without it.
  std::string_view enumerator(std::string_view key, size_t word) const {
    const Attribute* attribute = find(key);
    if (attribute != nullptr) return attribute->items.empty() ? attribute->text : attribute->items.back().text;
    return word < words.size() ? words[word].text : std::string_view();
  }
};

struct BlockArgument {
  std::string_view name;
  Span span;
  TensorType type;
  Attribute attributes{};
  Attribute location{};
};

/// A block: operations and what they begin with.
struct Region {
  std::vector<BlockArgument> arguments;
  std::vector<Operation> operations;
};

struct FunctionResult {
  TensorType type;
  Attribute attributes;
};

struct Function {
  std::string_view name;
  Span span;
  std::vector<FunctionResult> results;
  Region body;  ///< its arguments are those of the function
};

/// `sdy.mesh @mesh = <["data"=2, "model"=4]>`.
struct MeshText {
  std::string_view name;
  Span span;
  std::vector<MeshAxis> axes;
  std::vector<int64_t> device_order;  ///< positions to devices; empty where it is not written
};

struct ModuleText {
  std::shared_ptr<const SourceFile> file;
  std::vector<MeshText> meshes;
  std::vector<Function> functions;
  std::map<std::string_view, Attribute> aliases;  ///< `#loc6 = loc(...)`, without #
  bool has_custom_calls = false;                  ///< `@SPMDFullToShardShape`, which needs a mesh that is not written
  std::vector<size_t> line_begins;                ///< of the file

  const Function* find_function(std::string_view name) const;
  /// A span of the file as a location.
  Location location(Span span) const;
};

}  // namespace isoshard::stablehlo
