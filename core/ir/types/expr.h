#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ir/types/mesh.h"

namespace isoshard {

/// An integer expression over the coordinates of a device and the indices of enclosing `repeat`s.
///
/// Blocks of views and rank-dependent fields of a Plan (peer, block, owner) are these, never tables per rank (design
/// 5). Division floors and mod is non-negative; both need positive right operands.
class Expr {
 public:
  Expr() : Expr(0) {}
  /*implicit*/ Expr(int64_t constant);
  static Expr coordinate(AxisId axis);
  /// The iteration of the `repeat` that is `depth` levels out (0 = innermost).
  static Expr loop_index(size_t depth);
  /// The index of a device in `group`, row-major in tuple order.
  static Expr index_in(const Group& group, const Mesh& mesh);
  /// `table[index]`, one table shared by all ranks (permutes by pairs); the index must be in range.
  static Expr lookup(Expr index, std::vector<int64_t> table);

  friend Expr operator+(Expr a, Expr b);
  friend Expr operator-(Expr a, Expr b);
  friend Expr operator*(Expr a, Expr b);
  friend Expr floor_div(Expr a, Expr b);
  friend Expr mod(Expr a, Expr b);
  friend Expr min(Expr a, Expr b);
  friend Expr max(Expr a, Expr b);

  /// The value for the device at `position`; `loops` holds the iterations of enclosing repeats, innermost last.
  int64_t evaluate(const Mesh& mesh, int64_t position, const std::vector<int64_t>& loops) const;
  /// The expression in one iteration of all enclosing repeats, given as for `evaluate`.
  Expr at(const std::vector<int64_t>& loops) const;
  /// True when the value does not depend on the device or a loop.
  bool is_constant() const { return nodes_.size() == 1 && nodes_[0].kind == Kind::constant; }
  /// Whether the value depends on the iteration of a repeat.
  bool depends_on_loops() const;
  /// The axes whose coordinates stand in it.
  AxisSet axes() const;
  /// `(model+1)%4`, fully parenthesised where the order matters; `loop(0)` is the innermost index, tables stand as
  /// `[1,-1][model]`. `.shard` files have blanks around `%`, which begins values there.
  std::string to_string(const Mesh& mesh, const char* remainder = "%") const;

  bool operator==(const Expr&) const = default;

 private:
  enum class Kind : uint8_t {
    constant,
    coordinate,
    loop_index,
    lookup,
    min,
    max,
    add,
    subtract,
    multiply,
    floor_div,
    mod
  };
  struct Node {
    Kind kind;
    int64_t value;  ///< constant, axis, loop depth, or offset of the table
    int64_t count;  ///< of a table
    bool operator==(const Node&) const = default;
  };
  static Expr combine(Kind kind, Expr a, Expr b);
  int64_t apply(const Node& node, const Mesh& mesh, int64_t position, const std::vector<int64_t>& loops,
                int64_t*& top) const;
  std::string print(const Node& node, const Mesh& mesh, const char* remainder, std::vector<std::string>& stack,
                    std::vector<int>& ranks) const;
  bool is(int64_t constant) const { return is_constant() && nodes_[0].value == constant; }

  std::vector<Node> nodes_;  ///< postfix
  std::vector<int64_t> tables_;
};

}  // namespace isoshard
