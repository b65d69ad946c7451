#pragma once  // internal

#include "core/import/stablehlo/text/lexer.h"

namespace isoshard::stablehlo {

/// Items and fields up to `close`, which is taken; they may stand without a comma between them.
Attribute parse_list(Lexer& lexer, std::string_view close);
/// One value of an attribute: `dense<...> : T`, `#stablehlo.gather<...>`, `[1] x [0]`, `4 : i64`, ...
Attribute parse_attribute(Lexer& lexer);
/// `tensor<4x8xf32>`; dynamic shapes, tuples, tokens and complex numbers are errors (M-unsupported).
TensorType parse_type(Lexer& lexer);
/// `(T, T)` or `T, T`.
std::vector<TensorType> parse_types(Lexer& lexer);
/// `loc(...)` where it comes next; else a unit.
Attribute parse_location(Lexer& lexer);
/// A value behind `%`, with the index behind `#` if there is one.
ValueUse parse_use(Lexer& lexer);

/// Texts are nested at most so deep.
inline constexpr int kMostNesting = 200;

/// Counts how deep what is read is nested; more than kMostNesting is an error.
class Nesting {
 public:
  explicit Nesting(const Lexer& lexer) {
    if (++depth() > kMostNesting) {
      --depth();
      lexer.fail("M-syntax", lexer.peek().span, "nested more than 200 deep; expected the text of a program");
    }
  }
  ~Nesting() { --depth(); }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  static int& depth() {
    static thread_local int value = 0;
    return value;
  }
};

}  // namespace isoshard::stablehlo
