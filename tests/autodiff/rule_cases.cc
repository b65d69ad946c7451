#include "tests/autodiff/rule_cases.h"

#include <stdexcept>

#include "core/text/text.h"

namespace isoshard::autodiff {
namespace {

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
      {"permute_shift", "collective_permute", kOneArgument, "  %y = collective_permute %a {axis=t, shift=1}\n",
       "f64[2, 3]", "t=3"},
      {"permute_pairs", "collective_permute", kOneArgument,
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
      {"untyped_all_reduce", "all_reduce", kOneArgument, "  %y = all_reduce %a {axis=t}\n"},
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
    for (const auto& part : {local_rule_cases(), collectives(), untyped(), regions()}) {
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
