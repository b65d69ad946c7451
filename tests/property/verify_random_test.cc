#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <string>

#include "core/text/text.h"
#include "verify/check.h"

namespace isoshard::verify::verify_random_test {
namespace {

CheckReport check_text(const std::string& body) {
  auto file = std::make_shared<SourceFile>(SourceFile{"t.shard", "isoshard 1\n" + body});
  DiagnosticSink sink;
  const std::optional<Module> module = text::parse_module(file, {}, sink);
  RC_ASSERT(module.has_value());
  return check(*module, module->checks.at(0));
}

/// A chain of column- and row-parallel layers over `k`, with a bias after each sum. `fault` is the layer with a mistake
/// (none when out of range), of the kind `kind`.
struct Chain {
  int64_t size = 2, layers = 1, fault = -1;
  int kind = 0;

  std::string text() const {
    std::string globals = "mesh @m [k=" + std::to_string(size) + "]\nlet n = " + std::to_string(2 * size) + "\n" +
                          "global @x : f64[3, n] input\n";
    std::string sharded = "untyped program @s on @m {\n  %h.{0} = view @x [-, -]\n";
    std::string dense = "program @d {\n  %h.{0} = view @x [-, -]\n";
    for (int64_t l = 0; l < layers; ++l) add_layer(l, globals, sharded, dense);
    const std::string last = "  return @o = %h.{" + std::to_string(layers) + "} [-, -]\n}\n";
    return globals + sharded + last + dense + last + "check @s == @d\n";
  }

  void add_layer(int64_t l, std::string& globals, std::string& sharded, std::string& dense) const {
    const std::string i = std::to_string(l), in = "%h.{" + i + "}", out = "%h.{" + std::to_string(l + 1) + "}";
    globals += "global @A" + i + " : f64[n, n] param\nglobal @B" + i + " : f64[n, n] param\nglobal @c" + i +
               " : f64[n] param\n";
    const auto body = [&](const std::string& column, const std::string& row, const std::string& reduce) {
      return "  %A" + i + " = view @A" + i + " [-, " + column + "]\n  %B" + i + " = view @B" + i + " [" + row +
             ", -]\n  %c" + i + " = view @c" + i + " [-]\n  %e" + i + " = broadcast_in_dim %c" + i +
             " {dims=[1], shape=[3, n]}\n  %u" + i + " = dot_general " + in + ", %A" + i + " {contract=[1]x[0]}\n  %t" +
             i + " = tanh %u" + i + "\n  %p" + i + " = dot_general %t" + i + ", %B" + i + " {contract=[1]x[0]}\n" +
             reduce;
    };
    const std::string p = "%p" + i, r = "%r" + i, e = "%e" + i, q = "%q" + i;
    dense += body("-", "-", "  " + out + " = add " + p + ", " + e + "\n");
    const std::string good = "  " + r + " = all_reduce " + p + " {axis=k}\n  " + out + " = add " + r + ", " + e + "\n";
    const std::string wrong[] = {
        "  " + out + " = add " + p + ", " + e + "\n",
        "  " + q + " = add " + p + ", " + e + "\n  " + out + " = all_reduce " + q + " {axis=k}\n",
        "  " + q + " = all_reduce " + p + " {axis=k}\n  " + r + " = all_reduce " + q + " {axis=k}\n  " + out +
            " = add " + r + ", " + e + "\n"};
    const std::string row = l == fault && kind == 3 ? "k+1" : "k";
    sharded += body("k", row, l == fault && kind < 3 ? wrong[kind] : good);
  }
};

Chain random_chain() {
  Chain c;
  c.size = *rc::gen::inRange<int64_t>(2, 6);
  c.layers = *rc::gen::inRange<int64_t>(1, 4);
  c.kind = *rc::gen::inRange(0, 4);
  return c;
}

RC_GTEST_PROP(VerifyRandom, RightChainsAreEqual, ()) {
  const CheckReport r = check_text(random_chain().text());
  RC_LOG() << r.headline();
  RC_ASSERT(r.verdict() == Verdict::equal);
}

RC_GTEST_PROP(VerifyRandom, AMistakeInAnyLayerIsFoundThere, ()) {
  Chain c = random_chain();
  c.fault = *rc::gen::inRange<int64_t>(0, c.layers);
  const CheckReport r = check_text(c.text());
  const std::string i = std::to_string(c.fault);
  RC_LOG() << r.headline() << " at " << r.diagnosis.value;
  RC_ASSERT(r.verdict() == Verdict::not_equal);
  const std::string expected[] = {"h." + std::to_string(c.fault + 1), "q" + i, "r" + i, "p" + i};
  RC_ASSERT(r.diagnosis.value == "%" + expected[c.kind]);
  RC_ASSERT(!r.diagnosis.cause.empty());
}

}  // namespace
}  // namespace isoshard::verify::verify_random_test
