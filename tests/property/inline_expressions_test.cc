// An expression is the program that one would write out: the same ops on the same operands, in the same order.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <random>
#include <regex>

#include "core/text/text.h"

namespace isoshard::inline_expressions_test {
namespace {

/// How tightly an expression binds; what binds less than its place asks for stands in parentheses.
enum Binding { comparison, sum, product, sign, atom };

/// A random expression, and the statements that say the same.
struct Made {
  std::string text;
  Binding binding = atom;
  std::string value{};  ///< its name in the statements, or the number
  bool is_number = false;
  bool is_scalar = false;
};

/// Writes random expressions over `%x : f32[4, 3]`, `%s : f32[]` and numbers, and beside each its twin.
class Writer {
 public:
  explicit Writer(uint64_t seed) : random_(seed) {}

  Made expression(int depth) {
    switch (depth <= 0 ? below(3) : below(9)) {
      case 0:
        return Made{"%x", atom, "%x"};
      case 1:
        return Made{"%s", atom, "%s", false, true};
      case 2:
        return number();
      case 3:
        return unary(depth);
      case 4:
        return choice(depth);
      case 5:
        return function(depth);
      default:
        return infix(depth);
    }
  }

  /// One that is more than a value or a number.
  Made whole(int depth) { return below(2) == 0 ? unary(depth) : infix(depth); }

  const std::string& statements() const { return statements_; }

 private:
  size_t below(size_t n) { return static_cast<size_t>(random_() % n); }
  template <size_t N>
  const char* one_of(const char* const (&words)[N]) {
    return words[below(N)];
  }

  std::string placed(const Made& made, Binding least) {
    return made.binding < least || below(8) == 0 ? "(" + made.text + ")" : made.text;
  }

  Made number() {
    switch (below(5)) {
      case 0:
        return Made{"-3", sign, "-3", true};
      case 1:
        return Made{"2 + 3*d", sum, "2 + 3*d", true};
      case 2:
        return Made{"1/3", product, "1/3", true};
      case 3:
        return Made{"d", atom, "d", true};
      default:
        return Made{"0.5", atom, "0.5", true};
    }
  }

  std::string define(const std::string& right) {
    const std::string name = "%t." + std::to_string(next_++);
    statements_ += "  " + name + " = " + right + "\n";
    return name;
  }

  static std::string shape(bool is_scalar) { return is_scalar ? "[]" : "[4, 3]"; }

  /// The number as an operand beside one that is a scalar or not.
  void fix(Made& made, bool is_scalar) {
    if (!made.is_number) return;
    made.value = define("constant {value=" + made.value + ", dtype=f32, shape=" + shape(is_scalar) + "}");
    made.is_scalar = is_scalar;
  }

  void spread(Made& made) {
    if (made.is_scalar) made.value = define("broadcast_in_dim " + made.value + " {dims=[], shape=[4, 3]}");
  }

  /// Numbers and scalars as the op that takes both asks for; whether the result is a scalar.
  bool match(Made& a, Made& b) {
    fix(a, b.is_scalar);
    fix(b, a.is_scalar);
    if (a.is_scalar && b.is_scalar) return true;
    spread(a);
    spread(b);
    return false;
  }

  /// An expression that is no number.
  Made value(int depth) {
    if (depth > 0 && below(2) == 0) return infix(depth);
    return below(3) == 0 ? Made{"%s", atom, "%s", false, true} : Made{"%x", atom, "%x"};
  }

  /// Two expressions, not both numbers.
  std::pair<Made, Made> two(int depth) {
    Made a = expression(depth - 1);
    Made b = a.is_number ? value(depth - 1) : expression(depth - 1);
    return {std::move(a), std::move(b)};
  }

  Made unary(int depth) {
    Made made = value(depth - 1);
    if (below(3) == 0) {
      made.text = "-" + placed(made, sign);
      made.value = define("negate " + made.value);
      made.binding = sign;
      return made;
    }
    const std::string op = one_of({"tanh", "logistic", "exponential", "cosine"});
    made.text = op + "(" + made.text + ")";
    made.value = define(op + " " + made.value);
    made.binding = atom;
    return made;
  }

  Made infix(int depth) {
    auto [a, b] = two(depth);
    static const std::map<std::string, std::pair<std::string, Binding>> kOps = {
        {"+", {"add", sum}}, {"-", {"subtract", sum}}, {"*", {"multiply", product}}, {"/", {"divide", product}}};
    if (below(5) == 0) {
      const std::string op = one_of({"maximum", "minimum", "power"});
      Made made{op + "(" + a.text + ", " + b.text + ")"};
      made.is_scalar = match(a, b);
      made.value = define(op + " " + a.value + ", " + b.value);
      return made;
    }
    const std::string written = one_of({"+", "-", "*", "/"});
    const auto& [op, binding] = kOps.at(written);
    const Binding right = static_cast<Binding>(binding + 1);
    Made made{placed(a, binding) + " " + written + " " + placed(b, right), binding};
    made.is_scalar = match(a, b);
    made.value = define(op + " " + a.value + ", " + b.value);
    return made;
  }

  Made function(int depth) {
    Made made = value(depth - 1);
    made.text = (below(2) == 0 ? "@f(" : "f(") + made.text + ")";
    made.value = define("call @f(" + made.value + ")");
    made.binding = atom;
    return made;
  }

  /// `select(a < b, c, d)`.
  Made choice(int depth) {
    auto [a, b] = two(depth);
    static const std::map<std::string, std::string> kSigns = {{"<", "lt"},  {"<=", "le"}, {">", "gt"},
                                                              {">=", "ge"}, {"==", "eq"}, {"!=", "ne"}};
    const std::string written = one_of({"<", "<=", ">", ">=", "==", "!="});
    const std::string condition = placed(a, sum) + " " + written + " " + placed(b, sum);
    const bool scalar_condition = match(a, b);
    const std::string mask = define("compare " + a.value + ", " + b.value + " {direction=" + kSigns.at(written) + "}");
    auto [c, d] = two(depth);
    Made made{"select(" + condition + ", " + c.text + ", " + d.text + ")"};
    fix(c, d.is_scalar);
    fix(d, c.is_scalar);
    made.is_scalar = scalar_condition && c.is_scalar && d.is_scalar;
    if (!made.is_scalar) {
      spread(c);
      spread(d);
    }
    made.value = define("select " + mask + ", " + c.value + ", " + d.value);
    return made;
  }

  std::mt19937_64 random_;
  std::string statements_;
  size_t next_ = 0;
};

std::string file(const std::string& body) {
  return "isoshard 1\nmesh @m [a=2]\nlet d = 4\nglobal @x : f32[d, 3] input\nglobal @s : f32[] input\n"
         "func @f(%a: f32[*]) -> f32[*] {\n  %r = sine %a\n  return %r\n}\n"
         "program @p on @m {\n  %x = view @x [-, -]\n  %s = view @s []\n" +
         body + "}\n";
}

/// The program as it is printed, its values numbered in the order in which they occur.
std::string canonical(const std::string& text) {
  DiagnosticSink sink;
  const auto source = std::make_shared<const SourceFile>(SourceFile{"t.shard", text});
  const std::optional<Module> module = text::parse_module(source, {}, sink);
  for (const Diagnostic& diagnostic : sink.diagnostics()) RC_LOG(render(diagnostic));
  RC_ASSERT(module.has_value());
  const std::string printed = text::print(*module, text::PrintOptions{true});
  std::map<std::string, size_t> numbers;
  std::string result;
  static const std::regex kValue("%[A-Za-z0-9_.]+");
  auto end = printed.begin();
  for (std::sregex_iterator it(printed.begin(), printed.end(), kValue), last; it != last; ++it) {
    result.append(end, (*it)[0].first);
    result += "%" + std::to_string(numbers.insert({it->str(), numbers.size()}).first->second);
    end = (*it)[0].second;
  }
  return result.append(end, printed.end());
}

RC_GTEST_PROP(InlineExpressions, AreTheirWrittenOutTwins, ()) {
  Writer writer(*rc::gen::arbitrary<uint64_t>());
  const Made made = writer.whole(static_cast<int>(*rc::gen::inRange(1, 6)));
  const std::string layout = made.is_scalar ? "[]" : "[-, -]";
  const std::string end = "  return @y = %y " + layout + "\n";
  const std::string twin = file(writer.statements() + "  return @y = " + made.value + " " + layout + "\n");
  RC_LOG(made.text + "\n" + twin);
  RC_ASSERT(canonical(file("  %y = " + made.text + "\n" + end)) == canonical(twin));
  RC_ASSERT(canonical(file("  return @y = " + made.text + " " + layout + "\n")) == canonical(twin));
}

}  // namespace
}  // namespace isoshard::inline_expressions_test
