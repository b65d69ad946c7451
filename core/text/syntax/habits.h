#pragma once  // internal

#include <string>

#include "core/text/syntax/parser.h"

namespace isoshard::text {

/// The end of a message about the next token where Python, JAX or PyTorch write it and .shard does not: "; a part of a
/// value is `slice ...`". Empty for all other tokens.
std::string habit_advice(const TokenReader& reader);

/// The same for a character that no token begins with; `after_operand` says what stands before it on its line.
std::string character_advice(char character, bool after_operand);

/// Reports the infix sign that comes next behind `op`, which is written without parentheses and so ends its statement.
[[noreturn]] void fail_behind_op(TokenReader& reader, const OpSyntax& op);

/// Reports a name `@W` that stands where a value belongs and is not called.
[[noreturn]] void fail_global_alone(TokenReader& reader, const Word& name);

}  // namespace isoshard::text
