#pragma once

#include <string_view>
#include <vector>

#include "tests/mutation/operators/rewrite.h"

namespace isoshard::mutation {

/// Where an operator is at home.
enum class Reach : uint8_t {
  one_op,  ///< it replaces one op
  rings,   ///< it changes every step and block of programs whose devices stand in a ring and are alike
};

/// One way to write a program differently.
struct Operator {
  std::string_view name;
  bool right = false;  ///< the program still computes the same function of real numbers
  Replacement (*apply)(Place&) = nullptr;
  Reach reach = Reach::one_op;
};

/// Rewrites that keep the meaning.
std::vector<Operator> right_collectives();
std::vector<Operator> right_algebra();
/// Mistakes. Some change nothing where they are made: only the interpreter knows.
std::vector<Operator> wrong_communication();
std::vector<Operator> wrong_blocks();
std::vector<Operator> wrong_values();

/// All of them, the right ones first.
std::vector<Operator> all_operators();

/// A dimension as an index.
inline size_t at(int64_t dim) { return static_cast<size_t>(dim); }

/// An op with one float operand that is applied to each element on its own.
bool is_elementwise(const OpData& op);
/// An op that is linear in operand 0 and has no other operand that could hold data.
bool is_linear(const OpData& op);

}  // namespace isoshard::mutation
