// The sides of a check: programs, or the programs that compute their gradients.
// A side `grad(@f, wrt=[@W])` names a program and perhaps one of its outputs, `@f.loss`; names may have dots
// themselves, so the longest that is a program counts. core/transform/autodiff/gradient_check.cc then makes the program
// that returns the gradients (docs/adr/0020-gradients-of-globals.md), once for equal sides. Where one side names no
// globals, those of the other count, and all params where neither does.

#include <algorithm>
#include <utility>

#include "core/text/elaborate/elaboration.h"
#include "core/text/elaborate/fields.h"
#include "core/text/syntax/suggest.h"
#include "core/transform/autodiff/gradient_check.h"

namespace isoshard::text {
namespace {

using autodiff::GradientSide;

class GradientSides {
 public:
  GradientSides(Elaboration& elaboration, const CheckSyntax& syntax, const ProgramNames& programs)
      : elaboration_(elaboration), syntax_(syntax), programs_(programs), scope_(elaboration.scope) {}

  std::optional<std::pair<ProgramId, ProgramId>> run() {
    std::optional<GradientSide> left, right;
    if (syntax_.left_gradient) left = side(*syntax_.left_gradient, syntax_.left);
    if (syntax_.right_gradient) right = side(*syntax_.right_gradient, syntax_.right);
    if (syntax_.left_gradient.has_value() != left.has_value()) return std::nullopt;
    if (syntax_.right_gradient.has_value() != right.has_value() || !check_options()) return std::nullopt;
    const std::optional<std::vector<GlobalId>> wrt_left = left ? wrt(*syntax_.left_gradient) : std::vector<GlobalId>();
    const std::optional<std::vector<GlobalId>> wrt_right =
        right ? wrt(*syntax_.right_gradient) : std::vector<GlobalId>();
    if (!wrt_left || !wrt_right) return std::nullopt;
    return make(std::move(left), std::move(right), *wrt_left, *wrt_right);
  }

 private:
  const Module& module() const { return elaboration_.module; }

  /// What a side differentiates, but for its globals.
  std::optional<GradientSide> side(const GradientSyntax& syntax, const Word& target) {
    GradientSide result;
    result.location = scope_.at(syntax.span);
    result.cotangents = syntax.kind.text == "vjp";
    if (!find_target(target, result) || !convention(syntax, result)) return std::nullopt;
    return result;
  }

  /// `@f`, or `@f.loss` where there is no program of that name.
  bool find_target(const Word& target, GradientSide& result) {
    const std::string& name = target.text;
    size_t dot = programs_.contains(name) ? std::string::npos : name.rfind('.');
    while (dot != std::string::npos && !programs_.contains(name.substr(0, dot))) {
      dot = dot == 0 ? std::string::npos : name.rfind('.', dot - 1);
    }
    Word program = target;
    if (dot != std::string::npos) program.text = name.substr(0, dot);
    const std::optional<ProgramId> id = find_program(elaboration_, programs_, program);
    if (!id) return false;
    result.program = *id;
    if (dot == std::string::npos) return true;
    const std::string wanted = name.substr(dot + 1);
    std::vector<std::string> names;
    for (const Output& output : module().program(*id).outputs()) names.push_back(output.name);
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (found != names.end()) {
      result.output = static_cast<size_t>(found - names.begin());
      return true;
    }
    scope_.error("E-program", target.span,
                 "@" + program.text + " has no output @" + wanted + suggestion(wanted, names, "@", "outputs"));
    return false;
  }

  bool convention(const GradientSyntax& syntax, GradientSide& result) const {
    if (!syntax.convention) return true;
    result.unchecked = syntax.convention->text == kGradConventions[0].name;
    if (result.unchecked) return true;
    scope_.error(
        "E-field-value", syntax.convention->span,
        syntax.kind.text + ": `convention` is `" + syntax.convention->text + "`; expected shard_map_unchecked");
    return false;
  }

  bool check_options() const {
    const auto& left = syntax_.left_gradient;
    const auto& right = syntax_.right_gradient;
    if (syntax_.steps) {
      scope_.error("E-steps", syntax_.steps->span,
                   "a gradient is that of one step, and leaves updates out; leave `steps` out, or write the step as a "
                   "program with `grad` and `update`");
      return false;
    }
    if (!left || !right || left->kind.text == right->kind.text) return true;
    scope_.error("E-check", right->span,
                 "`" + left->kind.text + "` starts with " + starts(*left) + " and `" + right->kind.text + "` with " +
                     starts(*right) + "; expected the same word on both sides");
    return false;
  }

  static std::string starts(const GradientSyntax& syntax) {
    return syntax.kind.text == "vjp" ? "random cotangents" : "1";
  }

  /// The globals of `wrt`; none where it is not written.
  std::optional<std::vector<GlobalId>> wrt(const GradientSyntax& syntax) const {
    std::vector<GlobalId> result;
    if (!syntax.wrt) return result;
    if (syntax.wrt->empty()) {
      scope_.error("A-wrt", syntax.span, "wrt names no global; expected one, or no `wrt` for all params");
      return std::nullopt;
    }
    for (const Word& word : *syntax.wrt) {
      const std::optional<GlobalId> id = elaboration_.find_global(word, scope_);
      if (!id) return std::nullopt;
      if (std::find(result.begin(), result.end(), *id) != result.end()) {
        scope_.error("A-wrt", word.span, "wrt names @" + word.text + " twice; expected once");
        return std::nullopt;
      }
      result.push_back(*id);
    }
    return result;
  }

  /// Where nothing is said: all params that one of the programs reads.
  std::vector<GlobalId> all_params(const std::optional<GradientSide>& left,
                                   const std::optional<GradientSide>& right) const {
    std::vector<GlobalId> result;
    for (size_t g = 0; g < module().globals.size(); ++g) {
      const Global& global = module().globals[g];
      const auto reads = [&](const std::optional<GradientSide>& side) {
        return side && autodiff::reads(module().program(side->program), GlobalId(g));
      };
      if (global.role == Role::param && global.has_gradient() && (reads(left) || reads(right))) {
        result.push_back(GlobalId(g));
      }
    }
    return result;
  }

  std::optional<std::pair<ProgramId, ProgramId>> make(std::optional<GradientSide> left,
                                                      std::optional<GradientSide> right, std::vector<GlobalId> wrt_left,
                                                      std::vector<GlobalId> wrt_right) {
    if (wrt_left.empty() && wrt_right.empty() && !fill(left, right, wrt_left)) return std::nullopt;
    if (wrt_left.empty()) wrt_left = wrt_right;
    if (wrt_right.empty()) wrt_right = wrt_left;
    if (left && right && !check_pairs(*left, *right, wrt_left, wrt_right)) return std::nullopt;
    const std::vector<GlobalId>& named = left ? wrt_left : wrt_right;
    const std::optional<ProgramId> a = program_of(left, wrt_left, named, syntax_.left);
    const std::optional<ProgramId> b = program_of(right, wrt_right, named, syntax_.right);
    if (!a || !b) return std::nullopt;
    return std::pair(*a, *b);
  }

  bool fill(const std::optional<GradientSide>& left, const std::optional<GradientSide>& right,
            std::vector<GlobalId>& wrt) const {
    const Span& span = syntax_.left_gradient ? syntax_.left_gradient->span : syntax_.right_gradient->span;
    if (!syntax_.maps.empty()) {
      scope_.error("A-wrt", span, "the check has maps, which name other globals; expected `wrt` on both sides");
      return false;
    }
    wrt = all_params(left, right);
    if (!wrt.empty()) return true;
    scope_.error("A-wrt", span, "the programs read no param of a float dtype; expected `wrt` with an input");
    return false;
  }

  /// Gradients are compared one by one, in the order written.
  bool check_pairs(const GradientSide& left, const GradientSide& right, const std::vector<GlobalId>& a,
                   const std::vector<GlobalId>& b) const {
    const auto error = [&](const std::string& message) {
      scope_.error("A-wrt", syntax_.right_gradient->span, message);
      return false;
    };
    if (a.size() != b.size()) {
      return error("wrt is about " + std::to_string(b.size()) + (b.size() == 1 ? " global" : " globals") +
                   " here and about " + std::to_string(a.size()) + " on the left; expected the same number");
    }
    for (size_t i = 0; i < a.size(); ++i) {
      const std::string &x = module().global(a[i]).name, &y = module().global(b[i]).name;
      if (a[i] != b[i] && std::find(b.begin(), b.end(), a[i]) != b.end()) {
        return error("wrt names @" + y + " where the left side has @" + x + "; expected one order");
      }
      if (autodiff::reads(module().program(left.program), a[i]) ||
          autodiff::reads(module().program(right.program), b[i])) {
        continue;
      }
      return error("neither program reads @" + x + ": both gradients are 0, which proves nothing; leave it out of wrt");
    }
    return true;
  }

  std::optional<ProgramId> program_of(std::optional<GradientSide>& side, const std::vector<GlobalId>& wrt,
                                      const std::vector<GlobalId>& named, const Word& name) {
    if (!side) return find_program(elaboration_, programs_, name);
    for (size_t i = 0; i < wrt.size(); ++i) {
      side->wrt.push_back({wrt[i], module().global(named[std::min(i, named.size() - 1)]).name});
    }
    return autodiff::gradient_program(elaboration_.module, *side, elaboration_.gradients, elaboration_.scope.sink);
  }

  Elaboration& elaboration_;
  const CheckSyntax& syntax_;
  const ProgramNames& programs_;
  Scope scope_;
};

}  // namespace

std::optional<ProgramId> find_program(const Elaboration& elaboration, const ProgramNames& programs, const Word& name) {
  const auto it = programs.find(name.text);
  if (it != programs.end()) return it->second;
  std::vector<std::string> names;
  for (const auto& [known, id] : programs) names.push_back(known);
  const bool is_function = elaboration.functions.contains(name.text);
  Scope(elaboration.scope)
      .error("E-program", name.span,
             is_function ? "@" + name.text + " is a func; expected a program, which reads globals"
                         : "there is no program @" + name.text + suggestion(name.text, names, "@", "programs"));
  return std::nullopt;
}

std::optional<std::pair<ProgramId, ProgramId>> elaborate_sides(Elaboration& elaboration, const CheckSyntax& syntax,
                                                               const ProgramNames& programs) {
  if (syntax.left_gradient || syntax.right_gradient) return GradientSides(elaboration, syntax, programs).run();
  const std::optional<ProgramId> left = find_program(elaboration, programs, syntax.left);
  const std::optional<ProgramId> right = find_program(elaboration, programs, syntax.right);
  if (!left || !right) return std::nullopt;
  return std::pair(*left, *right);
}

}  // namespace isoshard::text
