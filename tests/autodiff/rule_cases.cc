#include "tests/autodiff/rule_cases.h"

#include <stdexcept>

#include "core/text/text.h"

namespace isoshard::autodiff {
namespace {

const std::vector<std::string> kOne = {"a f64[2,3] V"};

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

std::vector<RuleCase> elementwise() {
  std::vector<RuleCase> cases;
  const auto one = [&](const std::string& op, const std::string& state) {
    cases.push_back({op, op, {"a f64[2,3] " + state}, "  %y = " + op + " %a\n"});
  };
  one("negate", "P");
  for (const std::string op :
       {"exponential", "log", "tanh", "logistic", "sqrt", "rsqrt", "sine", "cosine", "erf_inv", "abs"}) {
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
  two("remainder", "R", "V");
  two("maximum", "V", "R");
  two("minimum", "R", "V");
  cases.push_back(
      {"select", "select", {"a f64[2,3] V", "b f64[2,3] R", "q pred[2,3] V"}, "  %y = select %q, %a, %b\n"});
  cases.push_back(
      {"select_scalar", "select", {"a f64[2,3] P", "b f64[2,3] P", "q pred[] ="}, "  %y = select %q, %a, %b\n"});
  cases.push_back({"convert", "convert", kOne, "  %y = convert %a {dtype=f32}\n", "f32[2, 3]"});
  for (RuleCase& c : cases) {
    if (c.op == "maximum" || c.op == "minimum") c.at_ties = halves;
    c.finite_at_zero = c.op == "power";
  }
  // What has no slope beside what has one.
  cases.push_back({"floor", "floor", kOne, "  %f = floor %a\n  %y = multiply %f, %a\n"});
  cases.push_back({"sign", "sign", kOne, "  %f = sign %a\n  %y = multiply %f, %a\n"});
  for (RuleCase& c : cases) {
    if (c.op != "abs" && c.op != "sign") continue;
    c.tie_at = 0;
    c.at_ties = [](const Values& in, const Values& out) {
      return shares(in[0], out[0], [](size_t n) { return Share(n, kNone); });
    };
  }
  cases.push_back({"stop_gradient", "stop_gradient", kOne, "  %s = stop_gradient %a\n  %y = multiply %s, %a\n"});
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
      {"broadcast", "broadcast_in_dim", kOne, "  %y = broadcast_in_dim %a {dims=[2, 0], shape=[3, 4, 2]}\n",
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
      {"reshape", "reshape", kOne, "  %y = reshape %a {shape=[3, 2]}\n", "f64[3, 2]"},
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

/// On t=3, and on s=2, t=2 with tuples in both orders.
std::vector<RuleCase> collectives() {
  const std::string two = "s=2, t=2";
  return {
      {"all_reduce_R", "all_reduce", {"a f64[2,3] P"}, "  %y = all_reduce %a {axis=t, to=R}\n", "f64[2, 3]", "t=3"},
      {"all_reduce_I", "all_reduce", {"a f64[2,3] P"}, "  %y = all_reduce %a {axis=t, to=I}\n", "f64[2, 3]", "t=3"},
      {"all_reduce_one_axis",
       "all_reduce",
       {"a f64[2,3] VP"},
       "  %y = all_reduce %a {axis=t, to=R}\n",
       "f64[2, 3]",
       two},
      {"all_reduce_tuple",
       "all_reduce",
       {"a f64[2,3] PP"},
       "  %y = all_reduce %a {axis=(t, s), to=R}\n",
       "f64[2, 3]",
       two},
      {"all_gather_R",
       "all_gather",
       {"a f64[3,3] V"},
       "  %y = all_gather %a {axis=t, dim=1, to=R}\n",
       "f64[3, 9]",
       "t=3"},
      {"all_gather_I",
       "all_gather",
       {"a f64[3,3] V"},
       "  %y = all_gather %a {axis=t, dim=0, to=I}\n",
       "f64[9, 3]",
       "t=3"},
      {"all_gather_tuple",
       "all_gather",
       {"a f64[2,2] VV"},
       "  %y = all_gather %a {axis=(t, s), dim=0, to=R}\n",
       "f64[8, 2]",
       two},
      {"reduce_scatter",
       "reduce_scatter",
       {"a f64[6,6] P"},
       "  %y = reduce_scatter %a {axis=t, dim=1}\n",
       "f64[6, 2]",
       "t=3"},
      {"reduce_scatter_tuple",
       "reduce_scatter",
       {"a f64[8,4] PP"},
       "  %y = reduce_scatter %a {axis=(t, s), dim=0}\n",
       "f64[2, 4]",
       two},
      {"all_to_all",
       "all_to_all",
       {"a f64[3,3] V"},
       "  %y = all_to_all %a {axis=t, split_dim=0, concat_dim=1}\n",
       "f64[1, 9]",
       "t=3"},
      {"all_to_all_same",
       "all_to_all",
       {"a f64[6,2] V"},
       "  %y = all_to_all %a {axis=t, split_dim=0, concat_dim=0}\n",
       "f64[6, 2]",
       "t=3"},
      {"permute_shift", "collective_permute", kOne, "  %y = collective_permute %a {axis=t, shift=1}\n", "f64[2, 3]",
       "t=3"},
      {"permute_pairs", "collective_permute", kOne,
       "  %y = collective_permute %a {axis=t, pairs=[(0, 1), (1, 3), (2, 0)]}\n", "f64[2, 3]", "t=4"},
      {"permute_tuple",
       "collective_permute",
       {"a f64[2,3] VV"},
       "  %y = collective_permute %a {axis=(t, s), shift=1, order=tuple}\n",
       "f64[2, 3]",
       "s=2, t=3"},
      {"convert_R_I",
       "convert_state",
       {"a f64[2,3] R"},
       "  %y = convert_state %a {axis=t, to=I}\n",
       "f64[2, 3]",
       "t=3"},
      {"convert_R_P",
       "convert_state",
       {"a f64[2,3] R"},
       "  %y = convert_state %a {axis=t, to=P, owner=1}\n",
       "f64[2, 3]",
       "t=3"},
      {"convert_I_P",
       "convert_state",
       {"a f64[2,3] I"},
       "  %y = convert_state %a {axis=t, to=P, owner=2}\n",
       "f64[2, 3]",
       "t=3"},
      {"reinterpret_I_R",
       "reinterpret",
       {"a f64[2,3] I"},
       "  %y = reinterpret %a {axis=t, to=R}\n",
       "f64[2, 3]",
       "t=3"},
      {"reinterpret_R_V",
       "reinterpret",
       {"a f64[2,3] R"},
       "  %y = reinterpret %a {axis=t, to=V}\n",
       "f64[2, 3]",
       "t=3"},
      {"reinterpret_V_P",
       "reinterpret",
       {"a f64[2,3] V"},
       "  %y = reinterpret %a {axis=t, to=P}\n",
       "f64[2, 3]",
       "t=3"},
      {"reinterpret_R_P",
       "reinterpret",
       {"a f64[2,3] R"},
       "  %y = reinterpret %a {axis=t, to=P}\n",
       "f64[2, 3]",
       "t=3"},
      {"slice_block_I", "slice_block", {"a f64[6,6] I"}, "  %y = slice_block %a {axis=t, dim=1}\n", "f64[6, 2]", "t=3"},
      {"slice_block_R", "slice_block", {"a f64[6,6] R"}, "  %y = slice_block %a {axis=t, dim=0}\n", "f64[2, 6]", "t=3"},
      {"slice_block_both",
       "slice_block",
       {"a f64[8,4] IR"},
       "  %y = slice_block %a {axis=(s, t), dim=0}\n",
       "f64[2, 4]",
       two},
      {"place_block", "place_block", {"a f64[3,3] V"}, "  %y = place_block %a {axis=t, dim=1}\n", "f64[3, 9]", "t=3"},
      {"assert_equal",
       "assert_equal",
       {"a f64[2,3] V"},
       "  %g = all_gather %a {axis=t, dim=0, to=R}\n  %v = reinterpret %g {axis=t, to=V}\n"
       "  %y = assert_equal %v {axis=t}\n",
       "f64[6, 3]",
       "t=3"},
  };
}

/// With jax.grad's convention: the literal adjoint.
std::vector<RuleCase> untyped() {
  std::vector<RuleCase> cases = {
      {"untyped_all_reduce", "all_reduce", kOne, "  %y = all_reduce %a {axis=t}\n"},
      {"untyped_all_gather", "all_gather", {"a f64[3,3] V"}, "  %y = all_gather %a {axis=t, dim=1}\n", "f64[3, 9]"},
      {"untyped_reduce_scatter",
       "reduce_scatter",
       {"a f64[6,6] V"},
       "  %y = reduce_scatter %a {axis=t, dim=0}\n",
       "f64[2, 6]"},
      {"untyped_slice_block", "slice_block", {"a f64[6,6] V"}, "  %y = slice_block %a {axis=t, dim=1}\n", "f64[6, 2]"},
      {"untyped_place_block", "place_block", {"a f64[3,3] V"}, "  %y = place_block %a {axis=t, dim=1}\n", "f64[3, 9]"},
  };
  for (RuleCase& c : cases) {
    c.mesh = "t=3";
    c.typed = false;
  }
  return cases;
}

std::vector<RuleCase> regions() {
  const std::string layer =
      "func @layer(%x: f64[3], %w: f64[3]) on @m -> f64[3], f64[3] {\n  %a = multiply %x, %w\n  %b = sine %a\n"
      "  %c = subtract %b, %w\n  return %c, %a\n}\n";
  return {
      {"call",
       "call",
       {"a f64[3] V", "b f64[3] R"},
       "  %p, %q = call @layer(%a, %b)\n  %r, %s = call @layer(%q, %p)\n  %y = multiply %r, %p\n",
       "f64[3]",
       "t=2",
       {},
       layer},
      {"scan",
       "scan",
       {"x f64[3] V", "w f64[4,3] R", "f f64[3] R"},
       "  %h, %g, %y = scan (%c = %x, %k = %f) over (%v = %w) index %i {\n    %t = tanh %c\n    %m = multiply %t, %v\n"
       "    %n0 = convert %i {dtype=f64}\n    %n = add %n0, 1\n    %b = broadcast_in_dim %n {dims=[], shape=[3]}\n    "
       "%o = multiply %m, %b\n"
       "    %s = add %o, %k\n    %e = multiply %s, %k\n    yield (%s, %k) stack (%e)\n  }\n",
       "f64[4, 3], f64[3]",
       "t=2",
       {},
       "",
       "%y, %h"},
      {"scan_with_collectives",
       "scan",
       {"x f64[4] R", "w f64[3,2] V"},
       "  %y = scan (%c = %x) over (%v = %w) {\n    %o = slice_block %c {axis=t, dim=0}\n    %m = multiply %o, %v\n"
       "    %s = sine %m\n    %g = all_gather %s {axis=t, dim=0, to=R}\n    %n = multiply %g, %c\n    yield (%n)\n  "
       "}\n",
       "f64[4]"},
      {"scan_of_scans_with_calls",
       "scan",
       {"x f64[3] V", "w f64[2,3] V"},
       "  %y = scan (%c = %x) over (%v = %w) {\n    %k, %p = scan (%d = %c, %e = %v) trips 3 {\n"
       "      %s, %t = call @layer(%d, %e)\n      yield (%s, %t)\n    }\n    %m = multiply %k, %p\n    yield (%m)\n  "
       "}\n",
       "f64[3]",
       "t=2",
       {},
       layer},
  };
}

struct Argument {
  std::string name, type, states;
};

Argument argument_of(const std::string& spec) {
  const size_t a = spec.find(' '), b = spec.rfind(' ');
  return {spec.substr(0, a), spec.substr(a + 1, b - a - 1), spec.substr(b + 1)};
}

std::vector<std::string> axes_of(const std::string& mesh) {
  std::vector<std::string> axes;
  for (size_t i = 0; i < mesh.size(); ++i) {
    if (mesh[i] == '=') axes.emplace_back(1, mesh[i - 1]);
  }
  return axes;
}

/// `%a = view ...`, in the states that the case wants.
std::string view_of(const Argument& argument, const RuleCase& c) {
  std::string layout, invariant, text;
  const std::string shape = argument.type.substr(argument.type.find('['));
  if (shape != "[]") {
    layout = "-";
    for (const char x : shape) layout += x == ',' ? ", -" : "";
  }
  const std::vector<std::string> axes = axes_of(c.mesh);
  std::string last = argument.name + "0";
  for (size_t i = 0; i < axes.size(); ++i) {
    const char state = argument.states[i];
    if (state == 'I') invariant += (invariant.empty() ? "" : ", ") + axes[i];
    if (!c.typed || (state != 'V' && state != 'P')) continue;
    const std::string next = argument.name + std::to_string(i + 1);
    text += "  %" + next + " = reinterpret %" + last + " {axis=" + axes[i] + ", to=" + state + "}\n";
    last = next;
  }
  return "  %" + argument.name + "0 = view @" + argument.name + " [" + layout + "]" +
         (invariant.empty() ? "" : " as I{" + invariant + "}") + "\n" + text + "  %" + argument.name + " = reshape %" +
         last + " {shape=" + shape + "}\n";
}

std::string text_of(const RuleCase& c) {
  std::string globals, parameters, views, names;
  for (const std::string& spec : c.arguments) {
    const Argument argument = argument_of(spec);
    const bool floats = argument.type[0] == 'f';
    globals += "global @" + argument.name + " : " + argument.type + (floats ? " param\n" : " const\n");
    const std::string comma = names.empty() ? "" : ", ";
    parameters += comma + "%" + argument.name + ": " + argument.type;
    names += comma + "%" + argument.name;
    views += view_of(argument, c);
  }
  return "isoshard 1\nmesh @m [" + c.mesh + "]\n" + globals + c.functions + "func @f(" + parameters + ") on @m -> " +
         c.results + " {\n" + c.body + "  return " + c.returns + "\n}\n" + (c.typed ? "" : "untyped ") +
         "program @p on @m {\n" + views + "  %first" + (c.returns.find(',') == std::string::npos ? "" : ", %second") +
         " = call @f(" + names + ")\n  %zero = constant {value=0, dtype=f64}\n  return @zero = %zero []\n}\n";
}

[[noreturn]] void fail(const std::string& where, const DiagnosticSink& sink) {
  std::string text = where + ":\n";
  for (const Diagnostic& d : sink.diagnostics()) text += render(d);
  throw std::runtime_error(text);
}

}  // namespace

void PrintTo(const RuleCase& c, std::ostream* out) { *out << c.name; }

const std::vector<RuleCase>& rule_cases() {
  static const std::vector<RuleCase> all = [] {
    std::vector<RuleCase> cases;
    for (const auto& part : {elementwise(), shapes(), indexing(), collectives(), untyped(), regions()}) {
      cases.insert(cases.end(), part.begin(), part.end());
    }
    return cases;
  }();
  return all;
}

RuleFunction rule_function(const RuleCase& c) {
  DiagnosticSink sink;
  const std::string text = text_of(c);
  std::optional<Module> module =
      text::parse_module(std::make_shared<const SourceFile>(SourceFile{c.name, text}), {}, sink);
  if (!module) fail(text, sink);
  RuleFunction result{std::move(*module), {}, {}};
  const Program& program = result.module.program(*result.module.find_program("p"));
  for (const OpId id : program.body().ops) {
    if (const Call* call = std::get_if<Call>(&program.op(id).data)) result.function = call->callee;
  }
  for (const Diagnostic& error : result.module.state_errors(result.function)) sink.add(error);
  const Program& function = result.module.program(result.function);
  for (size_t i = 0; i < function.body().arguments.size(); ++i) {
    const ValueType& type = function.value(function.body().arguments[i]).type;
    if (type.has_gradient) result.wrt.push_back(i);
    const std::string wanted = argument_of(c.arguments[i]).states;
    for (size_t axis = 0; c.typed && axis < wanted.size(); ++axis) {
      if (letter(type.states[axis]) != wanted[axis]) throw std::runtime_error(text + "argument " + std::to_string(i));
    }
  }
  if (!sink.diagnostics().empty()) fail(text, sink);
  return result;
}

Vjp vjp_of(Module& module, ProgramId function, const std::vector<size_t>& wrt, const GradOptions& options) {
  DiagnosticSink sink;
  const std::optional<Vjp> vjp = build_vjp(module, function, wrt, sink, Location::here(), options);
  if (!vjp) fail("@" + module.program(function).name(), sink);
  return *vjp;
}

}  // namespace isoshard::autodiff
