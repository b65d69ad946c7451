// Integer expressions over the coordinates of a device, the indices of loops and tables: which block a device reads, to
// whom it sends. An expression is a list of nodes in postfix order, without pointers, so that it is copied and
// evaluated cheaply: a combination of two is their lists behind each other and one node more. Constants are folded at
// once, and neutral elements left out; more is not simplified, since expressions are small. Division rounds down and
// remainders are not negative, so that indices of a ring wrap as expected. Evaluation runs over the nodes with a stack,
// 64 places of which need no allocation. Cost: the number of nodes.
#include "core/ir/types/expr.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/support/check.h"
#include "core/value/tensor.h"

namespace isoshard {
namespace {

int64_t floored_quotient(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

int64_t floored_remainder(int64_t a, int64_t b) {
  const int64_t remainder = a % b;
  return remainder < 0 ? remainder + b : remainder;
}

/// Built by appending: g++ 12 warns wrongly about `"(" + text` (-Wrestrict).
std::string enclosed(char open, const std::string& text, char close) {
  std::string result(1, open);
  result += text;
  result += close;
  return result;
}

constexpr int kAtom = 3;     ///< binds tighter than any operator
constexpr int kProduct = 2;  ///< * / %
constexpr int kSum = 1;      ///< + -

}  // namespace

Expr::Expr(int64_t constant) : nodes_{{Kind::constant, constant, 0}} {}

Expr Expr::coordinate(AxisId axis) {
  Expr result;
  result.nodes_ = {{Kind::coordinate, static_cast<int64_t>(axis.index()), 0}};
  return result;
}

Expr Expr::loop_index(size_t depth) {
  Expr result;
  result.nodes_ = {{Kind::loop_index, static_cast<int64_t>(depth), 0}};
  return result;
}

Expr Expr::index_in(const Group& group, const Mesh& mesh) {
  Expr result(0);
  for (const AxisId axis : group.axes) {
    const int64_t size = mesh.axis(axis).size;
    if (size != 1) result = std::move(result) * size + coordinate(axis);
  }
  return result;
}

Expr Expr::lookup(Expr index, std::vector<int64_t> table) {
  const Node node{Kind::lookup, static_cast<int64_t>(index.tables_.size()), static_cast<int64_t>(table.size())};
  index.tables_.insert(index.tables_.end(), table.begin(), table.end());
  index.nodes_.push_back(node);
  return index;
}

Expr Expr::combine(Kind kind, Expr a, Expr b) {
  const bool constants = a.is_constant() && b.is_constant();
  const auto offset = static_cast<int64_t>(a.tables_.size());
  for (Node& node : b.nodes_) {
    if (node.kind == Kind::lookup) node.value += offset;
  }
  a.nodes_.insert(a.nodes_.end(), b.nodes_.begin(), b.nodes_.end());
  a.nodes_.push_back({kind, 0, 0});
  a.tables_.insert(a.tables_.end(), b.tables_.begin(), b.tables_.end());
  return constants ? Expr(a.evaluate(Mesh(), 0, {})) : a;
}

Expr operator+(Expr a, Expr b) {
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  if (b.is_constant() && b.nodes_[0].value < 0) return std::move(a) - Expr(-b.nodes_[0].value);
  return Expr::combine(Expr::Kind::add, std::move(a), std::move(b));
}

Expr operator-(Expr a, Expr b) {
  if (b.is(0)) return a;
  return Expr::combine(Expr::Kind::subtract, std::move(a), std::move(b));
}

Expr operator*(Expr a, Expr b) {
  if (a.is(1) || b.is(0)) return b;
  if (b.is(1) || a.is(0)) return a;
  return Expr::combine(Expr::Kind::multiply, std::move(a), std::move(b));
}

Expr floor_div(Expr a, Expr b) {
  ISOSHARD_CHECK(!b.is_constant() || b.nodes_[0].value > 0, "divisor of an expression");
  if (b.is(1) || a.is(0)) return a;
  return Expr::combine(Expr::Kind::floor_div, std::move(a), std::move(b));
}

Expr mod(Expr a, Expr b) {
  ISOSHARD_CHECK(!b.is_constant() || b.nodes_[0].value > 0, "divisor of an expression");
  if (b.is(1)) return Expr(0);
  if (a.is(0)) return a;
  return Expr::combine(Expr::Kind::mod, std::move(a), std::move(b));
}

Expr min(Expr a, Expr b) { return Expr::combine(Expr::Kind::min, std::move(a), std::move(b)); }

Expr max(Expr a, Expr b) { return Expr::combine(Expr::Kind::max, std::move(a), std::move(b)); }

bool Expr::depends_on_loops() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.kind == Kind::loop_index; });
}

AxisSet Expr::axes() const {
  AxisSet result;
  for (const Node& node : nodes_) {
    if (node.kind == Kind::coordinate) result.insert(AxisId(static_cast<size_t>(node.value)));
  }
  return result;
}

int64_t Expr::apply(const Node& node, const Mesh& mesh, int64_t position, const std::vector<int64_t>& loops,
                    int64_t*& top) const {
  if (node.kind == Kind::constant) return node.value;
  if (node.kind == Kind::coordinate) return mesh.coordinate(position, AxisId(static_cast<size_t>(node.value)));
  if (node.kind == Kind::loop_index) {
    ISOSHARD_CHECK(node.value < static_cast<int64_t>(loops.size()), "loop index outside its repeat");
    return loops[loops.size() - 1 - static_cast<size_t>(node.value)];
  }
  const int64_t right = *--top;
  if (node.kind == Kind::lookup) {
    ISOSHARD_CHECK(right >= 0 && right < node.count, "table index of an expression");
    return tables_[static_cast<size_t>(node.value + right)];
  }
  const int64_t left = *--top;
  if (node.kind == Kind::add) return left + right;
  if (node.kind == Kind::subtract) return left - right;
  if (node.kind == Kind::multiply) return left * right;
  if (node.kind == Kind::min) return std::min(left, right);
  if (node.kind == Kind::max) return std::max(left, right);
  ISOSHARD_CHECK(right > 0, "divisor of an expression");
  return node.kind == Kind::floor_div ? floored_quotient(left, right) : floored_remainder(left, right);
}

int64_t Expr::evaluate(const Mesh& mesh, int64_t position, const std::vector<int64_t>& loops) const {
  std::array<int64_t, 64> small{};
  std::vector<int64_t> large(nodes_.size() > small.size() ? nodes_.size() : 0);
  int64_t* top = large.empty() ? small.data() : large.data();
  for (const Node& node : nodes_) {
    const int64_t value = apply(node, mesh, position, loops, top);
    *top++ = value;
  }
  return *--top;
}

Expr Expr::at(const std::vector<int64_t>& loops) const {
  std::vector<Expr> stack;
  const auto pop = [&] {
    Expr top = std::move(stack.back());
    stack.pop_back();
    return top;
  };
  const auto join = [](Kind kind, Expr a, Expr b) {
    if (kind == Kind::add) return std::move(a) + std::move(b);
    if (kind == Kind::subtract) return std::move(a) - std::move(b);
    if (kind == Kind::multiply) return std::move(a) * std::move(b);
    if (kind == Kind::min) return min(std::move(a), std::move(b));
    if (kind == Kind::max) return max(std::move(a), std::move(b));
    return kind == Kind::floor_div ? floor_div(std::move(a), std::move(b)) : mod(std::move(a), std::move(b));
  };
  for (const Node& node : nodes_) {
    if (node.kind == Kind::constant) {
      stack.emplace_back(node.value);
    } else if (node.kind == Kind::coordinate) {
      stack.push_back(coordinate(AxisId(static_cast<size_t>(node.value))));
    } else if (node.kind == Kind::loop_index) {
      ISOSHARD_CHECK(node.value < static_cast<int64_t>(loops.size()), "loop index outside its repeat");
      stack.emplace_back(loops[loops.size() - 1 - static_cast<size_t>(node.value)]);
    } else if (node.kind == Kind::lookup) {
      const auto first = tables_.begin() + node.value;
      stack.push_back(lookup(pop(), {first, first + node.count}));
    } else {
      Expr right = pop();
      Expr left = pop();
      stack.push_back(join(node.kind, std::move(left), std::move(right)));
    }
  }
  return std::move(stack.back());
}

std::string Expr::print(const Node& node, const Mesh& mesh, const char* remainder, std::vector<std::string>& stack,
                        std::vector<int>& ranks) const {
  if (node.kind == Kind::constant) return std::to_string(node.value);
  if (node.kind == Kind::coordinate) return mesh.axis(AxisId(static_cast<size_t>(node.value))).name;
  if (node.kind == Kind::loop_index) return "loop(" + std::to_string(node.value) + ")";
  const auto pop = [&](int at_least) {
    const std::string text = ranks.back() >= at_least ? stack.back() : enclosed('(', stack.back(), ')');
    stack.pop_back();
    ranks.pop_back();
    return text;
  };
  if (node.kind == Kind::lookup) {
    const auto first = tables_.begin() + node.value;
    return enclosed('[', isoshard::to_string(Shape(first, first + node.count)), ']') + enclosed('[', pop(0), ']');
  }
  if (node.kind == Kind::min || node.kind == Kind::max) {
    const std::string right = pop(0), left = pop(0);
    std::string text = node.kind == Kind::min ? "min(" : "max(";
    text += left;
    text += ", ";
    text += right;
    return text += ')';
  }
  const bool sum = node.kind == Kind::add || node.kind == Kind::subtract;
  const char* symbol = node.kind == Kind::add        ? "+"
                       : node.kind == Kind::subtract ? "-"
                       : node.kind == Kind::multiply ? "*"
                       : node.kind == Kind::mod      ? remainder
                                                     : "/";
  const std::string right = pop(sum ? kProduct : kAtom);
  return pop(sum ? kSum : kProduct) + symbol + right;
}

std::string Expr::to_string(const Mesh& mesh, const char* remainder) const {
  std::vector<std::string> stack;
  std::vector<int> ranks;
  for (const Node& node : nodes_) {
    std::string text = print(node, mesh, remainder, stack, ranks);
    stack.push_back(std::move(text));
    const bool negative = node.kind == Kind::constant && node.value < 0;
    const bool sum = node.kind == Kind::add || node.kind == Kind::subtract || negative;
    ranks.push_back(sum ? kSum : node.kind >= Kind::add ? kProduct : kAtom);
  }
  return stack.back();
}

}  // namespace isoshard
