#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace isoshard::text {

/// A field of an op as its reference describes it.
struct FieldReference {
  std::string name;
  std::string form;  ///< what may be written: `an integer`, `add, max, min or argmax`
  bool required = false;
  std::string doc;
};

/// An op as its declaration in core/ir/ops describes it.
struct OpReference {
  std::string name;
  std::string doc;
  int operands = 0;       ///< -1: one or more
  std::string states;     ///< the row of the state table
  bool own_form = false;  ///< its text is not `op operands {fields}`
  std::vector<FieldReference> fields;
  std::string no_derivative;  ///< why it has none; empty where it has one

  /// `%y = reduce %x {op=…, dims=…, [partial=…]}`; empty for ops with a form of their own.
  std::string usage() const;
};

/// Every op of the language, by name.
std::vector<OpReference> op_references();

/// All of them as a page of Markdown.
std::string op_page();

}  // namespace isoshard::text
