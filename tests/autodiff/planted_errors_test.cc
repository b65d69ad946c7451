// A planted error in each backward rule fails its test (docs/spec/autodiff.md, "How rules are tested"): systematic
// mistakes in the backward programs, one at a time, against the checks of the rule. What is accepted is listed with the
// reason why it is no mistake.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "core/transform/autodiff/no_derivative.h"
#include "tests/autodiff/rule_cases.h"
#include "tests/autodiff/rule_mutants.h"

namespace isoshard::autodiff::planted_errors_test {
namespace {

using reference::Array;
using reference::Formal;
using reference::Quad;

/// Changes that are no mistake.
struct NoMistake {
  std::string_view rule;  ///< the name of the case begins so
  std::string_view op;    ///< that was changed
  std::string_view what;  ///< is part of what was done
  std::string_view reason;
};

constexpr auto kNoMistakes = std::to_array<NoMistake>({
    {"", "stop_gradient", "missing", "of what is only compared, or has no gradient where a call takes it"},
    {"tanh", "stop_gradient", "negated", "1 - y^2 is even in y"},
    {"erf_inv", "stop_gradient", "negated", "e^(y^2) is even in y"},
    {"erf", "stop_gradient", "negated", "e^(-x^2) is even in x, for erfc, too"},
    {"cbrt", "stop_gradient", "negated", "y^2 is even in y"},
    {"maximum", "compare", "direction 6", "ge for eq: the half is only read where the operand is not the larger one"},
    {"maximum", "select", "other value as operand 0", "the same: what is read is the half where both are equal"},
    {"minimum", "compare", "direction 4", "le for eq: the half is only read where the operand is not the smaller one"},
    {"minimum", "select", "other value as operand 0", "the same: what is read is the half where both are equal"},
    {"clamp", "compare", "latest other value as operand 0", "max(x, min) > x says that min > x"},
    {"clamp_scalar", "broadcast_in_dim", "first other value as operand 0", "a bound with and without stop_gradient"},
    {"power", "select", "first other value as operand 1", "any exponent does at b = 0 that is not negative"},
    {"reduce_max", "broadcast_in_dim", "other value as operand 0", "the result with and without stop_gradient"},
    {"reduce_max", "compare", "other value as operand 0", "the operand with and without stop_gradient"},
    {"reduce_max", "compare", "direction 6", "ge for eq: nothing is above the maximum"},
    {"reduce_max", "constant", "", "ones over their sum: any other number gives the same shares"},
    {"reduce_max", "select", "", "ones over their sum: any other number gives the same shares"},
    {"reduce_min", "broadcast_in_dim", "other value as operand 0", "the result with and without stop_gradient"},
    {"reduce_min", "compare", "other value as operand 0", "the operand with and without stop_gradient"},
    {"reduce_min", "compare", "direction 4", "le for eq: nothing is below the minimum"},
    {"reduce_min", "constant", "", "ones over their sum: any other number gives the same shares"},
    {"reduce_min", "select", "", "ones over their sum: any other number gives the same shares"},
    {"product", "multiply", "negated", "two other pairs of three: their signs cancel"},
    {"convert_R", "convert_state", "another owner", "any device may hold the term of a gradient that is P"},
    {"assert_equal", "reduce_scatter", "other value as operand 0", "the value before and after a reinterpret"},
    {"call", "reinterpret", "", "of zeros, the cotangent of a result that nothing reads"},
    {"call", "call", "latest other value as operand 1", "a residual that is handed over twice"},
    {"scan", "reinterpret", "", "of zeros, the cotangent of a result that nothing reads"},
});

/// Types and states of the results, and of everything inside.
bool same_states(const Module& module, ProgramId mutant, ProgramId backward) {
  if (!module.state_errors(mutant).empty()) return false;
  const Program &a = module.program(mutant), &b = module.program(backward);
  for (size_t r = 0; r < b.body().results.size(); ++r) {
    const ValueType &x = a.value(a.body().results[r]).type, &y = b.value(b.body().results[r]).type;
    if (x.tensor != y.tensor || x.states != y.states || x.has_gradient != y.has_gradient) return false;
  }
  return true;
}

std::vector<reference::OnDevices<Quad>> as_quads(const Values& values) {
  std::vector<reference::OnDevices<Quad>> result;
  for (const Everywhere& value : values) {
    result.emplace_back();
    for (const Array<Formal>& own : value) {
      result.back().push_back({own.type, {}});
      for (const auto& e : own.elements) {
        result.back().back().elements.push_back({Quad(static_cast<double>(e.x.balanced())), e.i});
      }
    }
  }
  return result;
}

/// The checks of one rule, each at some points.
class Checks {
 public:
  Checks(const Module& module, const RuleCase& c, ProgramId function, const Vjp& vjp) : case_(c), vjp_(vjp) {
    for (uint64_t seed = 0; seed < 8; ++seed) points_.emplace_back(module, function, vjp, seed, c.draw);
    if (c.at_ties) ties_.emplace_back(module, function, vjp, 1, Draw{.equal = c.tie_at});
    for (uint64_t seed = 0; seed < 8 && c.at_small; ++seed) {
      with_ties_.emplace_back(module, function, vjp, seed, Draw{.small = true});
    }
    for (uint64_t seed = 0; seed < 8 && c.finite_at_zero; ++seed) {
      small_.push_back(as_quads(AdjointIdentity(module, function, vjp, seed, Draw{.small = true}).arguments()));
    }
  }

  /// Empty where a backward function passes.
  std::string problem(const Module& module, ProgramId backward) const {
    try {
      for (const AdjointIdentity& at : points_) {
        const std::string problem = at.problem(at.gradients(module, backward));
        if (!problem.empty()) return problem;
      }
      for (const AdjointIdentity& at : ties_) {
        const std::string problem = case_.at_ties(at.backward_arguments(), at.gradients(module, backward));
        if (!problem.empty()) return "at ties: " + problem;
      }
      for (const AdjointIdentity& at : with_ties_) {
        const std::string problem =
            case_.at_small(at.arguments(), at.backward_arguments(), at.gradients(module, backward));
        if (!problem.empty()) return problem;
      }
      return finite(module, backward) ? "" : "not finite at 0";
    } catch (const reference::Unsupported& problem) {
      return problem.what();
    }
  }

 private:
  bool finite(const Module& module, ProgramId backward) const {
    for (const auto& arguments : small_) {
      const auto forward = reference::call(module, vjp_.forward, arguments);
      std::vector<reference::OnDevices<Quad>> in;
      for (const size_t r : vjp_.active_results) {
        in.push_back(forward[r]);
        for (Array<Quad>& own : in.back())
          std::fill(own.elements.begin(), own.elements.end(), reference::Element<Quad>{Quad(1), 0});
      }
      in.insert(in.end(), forward.end() - static_cast<std::ptrdiff_t>(vjp_.residuals), forward.end());
      for (const auto& gradient : reference::call(module, backward, in)) {
        for (const Array<Quad>& own : gradient) {
          for (const auto& e : own.elements) {
            if (is_nan(e.x - e.x)) return false;
          }
        }
      }
    }
    return true;
  }

  const RuleCase& case_;
  const Vjp& vjp_;
  std::vector<AdjointIdentity> points_, ties_, with_ties_;
  std::vector<std::vector<reference::OnDevices<Quad>>> small_;
};

/// The entry that says why a change is none; the number of entries where there is none.
size_t entry(const std::string& rule, const std::string& what) {
  const auto known = std::find_if(kNoMistakes.begin(), kNoMistakes.end(), [&](const NoMistake& k) {
    return rule.starts_with(k.rule) && what.starts_with(k.op) && what.find(k.what) != std::string::npos;
  });
  return static_cast<size_t>(known - kNoMistakes.begin());
}

struct Tally {
  int planted = 0, by_states = 0, accepted = 0;
  std::vector<bool> used = std::vector<bool>(kNoMistakes.size(), false);  ///< per entry of the list
};

void plant(const RuleCase& c, Remat remat, Tally& tally) {
  RuleFunction f = rule_function(c);
  const Vjp vjp = vjp_of(f.module, f.function, f.wrt, {remat});
  const Checks checks(f.module, c, f.function, vjp);
  ASSERT_EQ(checks.problem(f.module, vjp.backward), "") << c.name;
  const std::vector<Mutant> mutants = mutants_of(f.module, vjp.backward);
  EXPECT_GT(mutants.size(), 2U) << c.name;
  tally.planted += static_cast<int>(mutants.size());
  for (const Mutant& mutant : mutants) {
    if (!checks.problem(f.module, mutant.function).empty()) continue;
    if (!same_states(f.module, mutant.function, vjp.backward)) {
      ++tally.by_states;
      continue;
    }
    ++tally.accepted;
    const size_t reason = entry(c.name, mutant.what);
    EXPECT_LT(reason, tally.used.size()) << "accepted: " << c.name << ", " << mutant.what;
    if (reason < tally.used.size()) tally.used[reason] = true;
  }
}

TEST(PlantedErrors, FailTheTestOfTheirRule) {
  Tally tally;
  for (const RuleCase& c : rule_cases()) {
    plant(c, Remat::none, tally);
    if (c.op == "scan") plant(c, Remat::full, tally);
  }
  for (size_t i = 0; i < tally.used.size(); ++i) {
    EXPECT_TRUE(tally.used[i]) << kNoMistakes[i].rule << ", " << kNoMistakes[i].op
                               << ": is rejected, so take it off the list";
  }
  std::printf("%d planted errors, %d of them seen by states only, %d changes that are none\n", tally.planted,
              tally.by_states, tally.accepted);
}

template <size_t... I>
std::vector<OpData> every_op(std::index_sequence<I...>) {
  return {OpData(std::variant_alternative_t<I, OpVariant>())...};
}

TEST(Rules, EveryOpHasATestOrAReason) {
  for (const OpData& op : every_op(std::make_index_sequence<std::variant_size_v<OpVariant>>())) {
    const auto about = [&](const RuleCase& c) { return c.op == op_name(op); };
    const bool tested = std::any_of(rule_cases().begin(), rule_cases().end(), about);
    EXPECT_NE(tested, !no_derivative(op).empty()) << op_name(op);
  }
}

TEST(Rules, AreTestedOnFunctionsThatHaveThem) {
  for (const RuleCase& c : rule_cases()) {
    const RuleFunction f = rule_function(c);
    const Program& program = f.module.program(f.function);
    bool found = false;
    for (size_t i = 0; i < program.op_count(); ++i) {
      const Op& op = program.op(OpId(i));
      const auto has_gradient = [&](ValueId v) { return program.value(v).type.has_gradient; };
      found |= op_name(op.data) == c.op && std::any_of(op.operands.begin(), op.operands.end(), has_gradient);
    }
    EXPECT_TRUE(found) << c.name;
  }
}

}  // namespace
}  // namespace isoshard::autodiff::planted_errors_test
