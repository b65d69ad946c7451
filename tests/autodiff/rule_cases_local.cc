// Rules of ops that every device applies to what it has.
#include <utility>

#include "tests/autodiff/rule_cases.h"

namespace isoshard::autodiff {
namespace {

/// Whether each element of gradient `k` is what `share(index)` says: a part of the cotangent, as numerator over
/// denominator.
template <class Share>
std::string shares(const Everywhere& cotangent, const Everywhere& gradient, const Share& share) {
  for (size_t p = 0; p < gradient.size(); ++p) {
    for (size_t n = 0; n < gradient[p].elements.size(); ++n) {
      const auto [from, part] = share(n);
      const auto expected = part * cotangent[p].elements[from].x;
      if (!(expected == gradient[p].elements[n].x)) return "element " + std::to_string(n) + " gets another share";
    }
  }
  return "";
}

using Share = std::pair<size_t, reference::Formal>;
const auto kAll = reference::Formal(1), kNone = reference::Formal(0);
const auto kHalf = reference::Formal(0.5), kQuarter = reference::Formal(0.25);

/// jax.lax.max, min: both get half.
std::string halves(const Values& cotangents, const Values& gradients) {
  for (const Everywhere& gradient : gradients) {
    const std::string wrong = shares(cotangents[0], gradient, [](size_t n) { return Share(n, kHalf); });
    if (!wrong.empty()) return wrong;
  }
  return "";
}

/// Whether the bound, or what is clamped (operand `k`), is what clamp gives and no other one is equal to it: as in
/// jax.lax.clamp, but that max is the result wherever it is below min.
bool is_taken(size_t k, int64_t low, int64_t x, int64_t high) {
  if (k == 0) return x < low && low < high;
  return k == 1 ? low < x && x < high : high < x || high < low;
}

/// The gradients of clamp, element by element; those of scalars are sums.
std::string shares_of_clamp(const Values& in, const Values& cotangents, const Values& gradients) {
  for (size_t k = 0; k < 3; ++k) {
    for (size_t p = 0; p < in[1].size(); ++p) {
      const auto at = [&](size_t i, size_t n) { return in[i][p].elements[in[i][p].elements.size() == 1 ? 0 : n].x; };
      std::vector<reference::Formal> expected(gradients[k][p].elements.size());
      for (size_t n = 0; n < in[1][p].elements.size(); ++n) {
        if (!is_taken(k, at(0, n).balanced(), at(1, n).balanced(), at(2, n).balanced())) continue;
        reference::Formal& sum = expected[expected.size() == 1 ? 0 : n];
        sum = sum + cotangents[0][p].elements[n].x;
      }
      for (size_t n = 0; n < expected.size(); ++n) {
        if (!(gradients[k][p].elements[n].x == expected[n])) return "another share of operand " + std::to_string(k);
      }
    }
  }
  return "";
}

std::vector<RuleCase> elementwise() {
  std::vector<RuleCase> cases;
  const auto one = [&](const std::string& op, const std::string& state) {
    cases.push_back({op, op, {"a f64[2,3] " + state}, "  %y = " + op + " %a\n"});
  };
  one("negate", "P");
  for (const std::string op : {"exponential", "log", "tanh", "logistic", "sqrt", "rsqrt", "sine", "cosine", "erf_inv",
                               "abs", "exponential_minus_one", "cbrt", "erf", "erfc"}) {
    one(op, "V");
  }
  const auto two = [&](const std::string& op, const std::string& a, const std::string& b, const Draw& draw = {}) {
    cases.push_back({op + "_" + a + b,
                     op,
                     {"a f64[2,3] " + a, "b f64[2,3] " + b},
                     "  %y = " + op + " %a, %b\n",
                     "f64[2, 3]",
                     "t=2",
                     draw});
  };
  two("add", "V", "R");
  two("subtract", "P", "P");
  two("subtract", "R", "V");
  two("multiply", "V", "R");
  two("multiply", "I", "I");
  two("multiply", "P", "R");
  two("divide", "V", "R");
  two("divide", "P", "R");
  two("power", "V", "R", {.zeros = true});
  two("atan2", "V", "R");
  two("remainder", "R", "V");
  cases.push_back({"log_plus_one",
                   "log_plus_one",
                   {"a f64[2,3] V"},
                   "  %y = log_plus_one %a\n",
                   "f64[2, 3]",
                   "t=2",
                   Draw{.apart = true}});  // no -1
  two("maximum", "V", "R");
  two("minimum", "R", "V");
  cases.push_back(
      {"select", "select", {"a f64[2,3] V", "b f64[2,3] R", "q pred[2,3] V"}, "  %y = select %q, %a, %b\n"});
  cases.push_back(
      {"select_scalar", "select", {"a f64[2,3] P", "b f64[2,3] P", "q pred[] ="}, "  %y = select %q, %a, %b\n"});
  const auto clamp = [&](const std::string& name, const std::vector<std::string>& arguments) {
    cases.push_back(
        {name, "clamp", arguments, "  %y = clamp %low, %a, %high\n", "f64[2, 3]", "t=2", Draw{.apart = true}});
  };
  clamp("clamp", {"low f64[2,3] V", "a f64[2,3] R", "high f64[2,3] V"});
  clamp("clamp_scalar", {"low f64[] R", "a f64[2,3] V", "high f64[] V"});
  cases.push_back({"convert", "convert", kOneArgument, "  %y = convert %a {dtype=f32}\n", "f32[2, 3]"});
  for (RuleCase& c : cases) {
    if (c.op == "maximum" || c.op == "minimum") c.at_ties = halves;
    if (c.op == "clamp") c.at_small = shares_of_clamp;
    c.finite_at_zero = c.op == "power";
  }
  // What has no slope beside what has one.
  for (const std::string op : {"floor", "ceil", "round_nearest_even", "round_nearest_afz"}) {
    cases.push_back({op, op, kOneArgument, "  %f = " + op + " %a\n  %y = multiply %f, %a\n"});
  }
  cases.push_back({"sign", "sign", kOneArgument, "  %f = sign %a\n  %y = multiply %f, %a\n"});
  for (RuleCase& c : cases) {
    if (c.op != "abs" && c.op != "sign") continue;
    c.tie_at = 0;
    c.at_ties = [](const Values& in, const Values& out) {
      return shares(in[0], out[0], [](size_t n) { return Share(n, kNone); });
    };
  }
  cases.push_back(
      {"stop_gradient", "stop_gradient", kOneArgument, "  %s = stop_gradient %a\n  %y = multiply %s, %a\n"});
  return cases;
}

/// Reductions of 4 x 4 along a row, and of 3 x 4 to the two largest: equal shares, or all to the first ones.
void tell_ties(std::vector<RuleCase>& cases) {
  for (RuleCase& c : cases) {
    if (c.name == "reduce_max" || c.name == "reduce_min") {
      const bool rows = c.name == "reduce_max";
      c.at_ties = [rows](const Values& in, const Values& out) {
        return shares(in[0], out[0], [rows](size_t n) { return Share(rows ? n / 4 : n % 4, kQuarter); });
      };
    } else if (c.name == "argmax") {
      c.at_ties = [](const Values& in, const Values& out) {
        return shares(in[0], out[0], [](size_t n) { return Share(n / 4, n % 4 == 0 ? kAll : kNone); });
      };
    } else if (c.name == "top_k") {
      c.at_ties = [](const Values& in, const Values& out) {
        return shares(in[0], out[0], [](size_t n) { return Share(n / 4 * 2 + n % 2, n % 4 < 2 ? kAll : kNone); });
      };
    }
  }
}

std::vector<RuleCase> shapes() {
  std::vector<RuleCase> cases = {
      {"broadcast", "broadcast_in_dim", kOneArgument, "  %y = broadcast_in_dim %a {dims=[2, 0], shape=[3, 4, 2]}\n",
       "f64[3, 4, 2]"},
      {"broadcast_of_one",
       "broadcast_in_dim",
       {"a f64[2,1,3] P"},
       "  %y = broadcast_in_dim %a {dims=[0, 1, 2], shape=[2, 4, 3]}\n",
       "f64[2, 4, 3]"},
      {"broadcast_square",
       "broadcast_in_dim",
       {"a f64[3,3] R"},
       "  %y = broadcast_in_dim %a {dims=[2, 1], shape=[3, 3, 3]}\n",
       "f64[3, 3, 3]"},
      {"reshape", "reshape", kOneArgument, "  %y = reshape %a {shape=[3, 2]}\n", "f64[3, 2]"},
      {"transpose", "transpose", {"a f64[2,2,2] V"}, "  %y = transpose %a {permutation=[2, 0, 1]}\n", "f64[2, 2, 2]"},
      {"slice", "slice", {"a f64[4,5] V"}, "  %y = slice %a {start=[1, 1], limit=[3, 4]}\n"},
      {"slice_strided", "slice", {"a f64[4,8] V"}, "  %y = slice %a {start=[1, 1], limit=[3, 7], strides=[1, 2]}\n"},
      {"concatenate",
       "concatenate",
       {"a f64[2,3] V", "b f64[2,3] R", "c f64[2,2] V"},
       "  %y = concatenate %a, %b, %c, %a {dim=1}\n",
       "f64[2, 11]"},
      {"pad", "pad", {"a f64[2,3] V", "b f64[] R"}, "  %y = pad %a, %b {low=[1, 0], high=[1, 2]}\n", "f64[4, 5]"},
      {"reverse", "reverse", {"a f64[3,3] P"}, "  %y = reverse %a {dims=[1]}\n", "f64[3, 3]"},
      {"cumsum", "cumsum", {"a f64[3,3] V"}, "  %y = cumsum %a {dim=1}\n", "f64[3, 3]"},
      {"reduce_add", "reduce", {"a f64[3,2,3] P"}, "  %y = reduce %a {op=add, dims=[0, 1]}\n", "f64[3]"},
      {"reduce_partial", "reduce", {"a f64[3,3] V"}, "  %y = reduce %a {op=add, dims=[1], partial={t}}\n", "f64[3]"},
      {"reduce_max", "reduce", {"a f64[4,4] V"}, "  %y = reduce %a {op=max, dims=[1]}\n", "f64[4]"},
      {"reduce_min", "reduce", {"a f64[4,4] R"}, "  %y = reduce %a {op=min, dims=[0]}\n", "f64[4]"},
      {"product", "reduce", {"a f64[6,3] V"}, "  %y = reduce %a {op=mul, dims=[0]}\n", "f64[3]"},
      {"product_of_all", "reduce", {"a f64[2,3] R"}, "  %y = reduce %a {op=mul, dims=[1, 0]}\n", "f64[]"},
      {"argmax", "reduce", {"a f64[4,4] V"}, "  %y, %k = reduce %a {op=argmax, dims=[1]}\n", "f64[4]"},
      {"top_k", "top_k", {"a f64[3,4] V"}, "  %y, %k = top_k %a {k=2}\n", "f64[3, 2]"},
      {"dot",
       "dot_general",
       {"a f64[3,3] V", "b f64[3,3] R"},
       "  %y = dot_general %a, %b {contract=[1]x[0]}\n",
       "f64[3, 3]"},
      {"dot_partial",
       "dot_general",
       {"a f64[2,3] V", "b f64[3,2] V"},
       "  %y = dot_general %a, %b {contract=[1]x[0], partial={t}}\n",
       "f64[2, 2]"},
      {"dot_two_dims",
       "dot_general",
       {"a f64[3,3] P", "b f64[3,3] R"},
       "  %y = dot_general %a, %b {contract=[0, 1]x[1, 0]}\n",
       "f64[]"},
      {"dot_batch",
       "dot_general",
       {"a f64[2,2,2] V", "b f64[2,2,2] R"},
       "  %y = dot_general %a, %b {contract=[2]x[1], batch=[1]x[0]}\n",
       "f64[2, 2, 2]"},
      {"dot_batch_of_two",
       "dot_general",
       {"a f64[2,3,2,2] V", "b f64[2,2,2] V"},
       "  %y = dot_general %a, %b {contract=[2]x[0], batch=[0, 3]x[2, 1]}\n",
       "f64[2, 2, 3]"},
      {"dot_outer",
       "dot_general",
       {"a f64[2] V", "b f64[2] V"},
       "  %y = dot_general %a, %b {contract=[]x[]}\n",
       "f64[2, 2]"},
  };
  tell_ties(cases);
  return cases;
}

/// Sizes are such that another stride, padding or direction gives another gradient: at least two windows, and kernels
/// of two elements, along each dimension.
std::vector<RuleCase> convolutions() {
  const auto one = [](std::string name, std::vector<std::string> arguments, const std::string& fields,
                      std::string results) {
    return RuleCase{std::move(name), "convolution", std::move(arguments),
                    "  %y = convolution %a, %b {" + fields + "}\n", std::move(results)};
  };
  return {
      one("convolution", {"a f64[2,3,5] V", "b f64[2,3,2] R"}, "dims=[b, f, 0]x[o, i, 0]->[b, f, 0]", "f64[2, 2, 4]"),
      one("convolution_of_terms", {"a f64[2,2,3] P", "b f64[3,2,2] R"}, "dims=[b, f, 0]x[o, i, 0]->[0, b, f]",
          "f64[2, 2, 3]"),
      one("convolution_partial", {"a f64[2,2,3] V", "b f64[2,2,2] V"},
          "dims=[f, b, 0]x[i, o, 0]->[b, f, 0], partial={t}", "f64[2, 2, 2]"),
      one("convolution_padded", {"a f64[2,2,5] R", "b f64[2,2,2] V"},
          "dims=[b, f, 0]x[o, i, 0]->[b, f, 0], strides=[2], low=[3], high=[-1]", "f64[2, 2, 3]"),
      one("convolution_dilated", {"a f64[2,4,1] V", "b f64[2,2,1] R"},
          "dims=[b, 0, f]x[o, 0, i]->[b, f, 0], low=[1], high=[2], lhs_dilation=[3], rhs_dilation=[2], reversal=[1]",
          "f64[2, 2, 11]"),
      one("convolution_of_images", {"a f64[3,2,2,4] V", "b f64[2,2,2,2] R"},
          "dims=[0, b, f, 1]x[1, i, o, 0]->[f, 1, b, 0], low=[0, 2], strides=[1, 2], reversal=[0, 1]",
          "f64[2, 3, 2, 2]"),
      one("convolution_feature_groups", {"a f64[2,6,3] V", "b f64[4,3,2] R"},
          "dims=[b, f, 0]x[o, i, 0]->[b, f, 0], feature_groups=2", "f64[2, 4, 2]"),
      one("convolution_batch_groups", {"a f64[4,2,3] V", "b f64[2,2,6] R"},
          "dims=[b, f, 0]x[0, i, o]->[f, b, 0], high=[1], batch_groups=2", "f64[6, 2, 3]"),
  };
}

std::vector<RuleCase> indexing() {
  const Draw ids{.least = -2, .most = 5};
  return {
      {"dynamic_slice",
       "dynamic_slice",
       {"a f64[4,4] V", "i i32[] V", "j i32[] ="},
       "  %y = dynamic_slice %a, %i, %j {sizes=[2, 2]}\n",
       "f64[2, 2]",
       "t=4",
       {.least = -1, .most = 4}},
      {"dynamic_update_slice",
       "dynamic_update_slice",
       {"a f64[4,4] V", "u f64[2,2] R", "i i32[] V", "j i32[] ="},
       "  %y = dynamic_update_slice %a, %u, %i, %j\n",
       "f64[4, 4]",
       "t=4",
       {.least = -1, .most = 4}},
      {"gather",
       "gather",
       {"a f64[4,4] V", "i i32[2,3] V"},
       "  %y = gather %a, %i {dim=1}\n",
       "f64[4, 2, 3]",
       "t=2",
       ids},
      {"gather_batch",
       "gather",
       {"a f64[3,3,3] R", "i i32[3] V"},
       "  %y = gather %a, %i {dim=1, batch=1}\n",
       "f64[3, 3]",
       "t=2",
       ids},
      {"scatter_add",
       "scatter_add",
       {"a f64[4,4] P", "u f64[4,6] P", "i i32[6] ="},
       "  %y = scatter_add %a, %i, %u {dim=1}\n",
       "f64[4, 4]",
       "t=2",
       ids},
      {"scatter_add_batch",
       "scatter_add",
       {"a f64[3,3,3] V", "u f64[3,3,3] R", "i i32[3,3] V"},
       "  %y = scatter_add %a, %i, %u {dim=1, batch=1}\n",
       "f64[3, 3, 3]",
       "t=2",
       ids},
  };
}

}  // namespace

std::vector<RuleCase> local_rule_cases() {
  std::vector<RuleCase> cases;
  for (const auto& part : {elementwise(), shapes(), convolutions(), indexing()})
    cases.insert(cases.end(), part.begin(), part.end());
  return cases;
}

}  // namespace isoshard::autodiff
