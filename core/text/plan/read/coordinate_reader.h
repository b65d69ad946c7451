#pragma once  // internal

#include <cstdint>
#include <string>
#include <vector>

#include "core/text/elaborate/scope.h"
#include "core/text/syntax/parser.h"

namespace isoshard::text {

/// An expression over coordinates of devices and indices of loops, with the least and the largest value that it may
/// have.
struct BoundedExpr {
  isoshard::Expr value;
  int64_t low = 0, high = 0;
};

/// Reads expressions as isoshard::Expr::to_string writes them, `(model+1)%4`, `[1,-1][model]`, `loop(0)`.
///
/// Whatever is read has a value on every device in every iteration: numbers stay below 2^60 (E-overflow), divisors are
/// positive and indices of tables in range (E-block), `loop(k)` stands in at least k + 1 loops (E-index), axes are
/// those of the mesh (E-axis). Errors throw SyntaxError. The scope and the loops must outlive it.
class CoordinateReader {
 public:
  /// `loops`: the counts of the loops around, innermost last.
  CoordinateReader(TokenReader& reader, const Scope& scope, const std::vector<int64_t>& loops)
      : reader_(reader), scope_(scope), loops_(loops) {}

  BoundedExpr read();

 private:
  BoundedExpr sum();
  BoundedExpr product();
  BoundedExpr remainder(BoundedExpr left, const Span& begin);
  BoundedExpr unary();
  /// What begins with the word or number `text`.
  BoundedExpr word(const std::string& text, const Span& span);
  BoundedExpr constant(const std::string& digits, const Span& span);
  BoundedExpr loop_index(const Span& span);
  BoundedExpr extreme(bool least);
  BoundedExpr table();
  BoundedExpr combine(char op, BoundedExpr left, const BoundedExpr& right, const Span& begin);
  int64_t number();
  void count();
  Span since(const Span& begin) const { return begin.to(reader_.last().span); }

  TokenReader& reader_;
  const Scope& scope_;
  const std::vector<int64_t>& loops_;
  size_t nodes_ = 0;  ///< of the expression so far
};

}  // namespace isoshard::text
