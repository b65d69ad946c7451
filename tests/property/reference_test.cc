#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "core/plan/lower.h"
#include "core/text/text.h"
#include "sim/assemble.h"
#include "sim/conversion.h"
#include "sim/domains/bounded.h"
#include "sim/domains/f32_f64.h"
#include "sim/domains/ring_a.h"
#include "sim/engine.h"
#include "tests/property/dice.h"
#include "tests/property/random_program.h"
#include "tests/property/shrink.h"
#include "tests/reference/interpreter.h"

/// The simulator in every domain against the reference interpreter, on random programs.
namespace isoshard {
namespace {

constexpr int64_t kPrime = 2147483647;

/// Small integers: sums and products stay exact in doubles for a while, and quotients are short rationals.
std::vector<int64_t> draw_elements(const Global& global, testing::Dice& dice) {
  std::vector<int64_t> elements;
  for (int64_t n = element_count(global.type.shape); n > 0; --n) {
    const auto draw = static_cast<int64_t>(dice.below(9));
    elements.push_back(global.type.dtype == DType::pred ? draw % 2 : draw - (is_float(global.type.dtype) ? 4 : 2));
  }
  return elements;
}

template <class T>
reference::Array<T> reference_array(const TensorType& type, const std::vector<int64_t>& elements) {
  reference::Array<T> result{type, {}};
  for (const int64_t e : elements) {
    result.elements.push_back(is_float(type.dtype) ? reference::Element<T>{T(static_cast<double>(e)), 0}
                                                   : reference::Element<T>{T(), reference::wrapped(e, type.dtype)});
  }
  return result;
}

template <class I>
sim::Value native(const TensorType& type, const std::vector<int64_t>& elements, const sim::Domain& domain) {
  std::vector<I> native;
  for (const int64_t e : elements) native.push_back(static_cast<I>(e));
  return sim::from_tensor(Tensor::from<I>(type.dtype, type.shape, native), domain);
}

sim::Value simulated(const TensorType& type, const std::vector<int64_t>& elements, const sim::Domain& domain) {
  switch (type.dtype) {
    case DType::pred:
      return native<uint8_t>(type, elements, domain);
    case DType::i32:
      return native<int32_t>(type, elements, domain);
    case DType::u32:
      return native<uint32_t>(type, elements, domain);
    case DType::i64:
      return native<int64_t>(type, elements, domain);
    case DType::key:
      return native<uint64_t>(type, elements, domain);
    default:
      return sim::from_doubles(type, std::vector<double>(elements.begin(), elements.end()), domain);
  }
}

/// Element `i` of a value that is no float; predicates may be ring elements.
int64_t integer_at(const sim::Value& value, size_t i) {
  switch (value.type.dtype) {
    case DType::pred:
      return value.storage.element_bytes == 1 ? value.plane<uint8_t>(0)[i] : value.plane<uint32_t>(0)[i];
    case DType::i32:
      return value.plane<int32_t>(0)[i];
    case DType::u32:
      return value.plane<uint32_t>(0)[i];
    default:
      return value.plane<int64_t>(0)[i];
  }
}

/// An exact rational modulo the prime of rung A; nothing when its denominator is 0 there.
std::optional<uint32_t> residue(const mpq_class& x) {
  const mpz_class p = kPrime;
  mpz_class inverse;
  if (mpz_invert(inverse.get_mpz_t(), x.get_den_mpz_t(), p.get_mpz_t()) == 0) return std::nullopt;
  mpz_class result = x.get_num() * inverse % p;
  if (result < 0) result += p;
  return static_cast<uint32_t>(result.get_ui());
}

/// One random program on one draw of its globals, by the interpreter and by the simulator.
class Comparison {
 public:
  Comparison(const Module& module, ProgramId id, uint64_t seed) : module_(module), id_(id), plan_(lower(module, id)) {
    testing::Dice dice(seed);
    for (const Global& global : module.globals) elements_.push_back(draw_elements(global, dice));
    approximate_ = reference::run<double>(module, id, globals<double>());
    try {
      exact_ = reference::run<mpq_class>(module, id, globals<mpq_class>());
    } catch (const reference::Unsupported&) {
      // Functions such as exp have no exact value: the doubles judge alone.
    }
    const sim::BoundedDomain bounded;
    bounds_ = outputs(bounded);
    ties_ = bounded.ties() > 0;
  }

  /// The first element that is wrong in some domain; empty when there is none.
  std::string difference(bool ring_too) const {
    if (ties_) return "";  // rounding may have decided an integer
    std::string found = in_bounded();
    if (found.empty()) found = in_f64();
    if (found.empty() && ring_too) found = in_ring();
    return found;
  }

 private:
  /// Values with bounds enclose the exact result, or are near the doubles.
  std::string in_bounded() const {
    return first_wrong(sim::bounded_domain(), [&](const sim::Value& value, size_t o, size_t i) {
      const double x = value.plane<double>(0)[i], error = value.plane<double>(1)[i];
      if (!std::isfinite(error)) return true;
      if (!exact()) return near(x, error, o, i);
      return abs(mpq_class(x) - exact_[o].whole.elements[i].x) <= mpq_class(error);
    });
  }

  std::string in_f64() const {
    return first_wrong(sim::float_domain(sim::Precision::f64), [&](const sim::Value& value, size_t o, size_t i) {
      return near(value.plane<double>(0)[i], bounds_[o].plane<double>(1)[i], o, i);
    });
  }

  /// Ring elements are the residues of the exact result.
  std::string in_ring() const {
    if (!exact()) return "";
    return first_wrong(sim::RingDomain(2, 7), [&](const sim::Value& value, size_t o, size_t i) {
      const std::optional<uint32_t> expected = residue(exact_[o].whole.elements[i].x);
      return !expected || value.plane<uint32_t>(1)[i] == *expected;
    });
  }

  bool exact() const { return !exact_.empty(); }

  template <class T>
  std::vector<reference::Array<T>> globals() const {
    std::vector<reference::Array<T>> result;
    for (size_t g = 0; g < elements_.size(); ++g) {
      result.push_back(reference_array<T>(module_.globals[g].type, elements_[g]));
    }
    return result;
  }

  std::vector<sim::Value> outputs(const sim::Domain& domain) const {
    std::vector<sim::Value> globals;
    for (size_t g = 0; g < elements_.size(); ++g) {
      globals.push_back(simulated(module_.globals[g].type, elements_[g], domain));
    }
    const Result<sim::RunResult> result = sim::run(plan_, domain, globals);
    EXPECT_TRUE(result) << result.error().message;
    std::vector<sim::Value> values;
    for (size_t o = 0; o < plan_.outputs.size(); ++o) {
      values.push_back(sim::assemble(plan_.outputs[o].type, result->outputs[o]).value);
    }
    return values;
  }

  /// Integers are equal everywhere; `right(value, output, element)` judges floats.
  template <class Right>
  std::string first_wrong(const sim::Domain& domain, const Right& right) const {
    const std::vector<sim::Value> values = outputs(domain);
    for (size_t o = 0; o < values.size(); ++o) {
      const std::vector<reference::Element<double>>& expected = approximate_[o].whole.elements;
      if (!approximate_[o].covered) return "@" + plan_.outputs[o].name + " is not covered";
      for (size_t i = 0; i < expected.size(); ++i) {
        const bool ok = is_float(values[o].type.dtype) ? right(values[o], o, i)
                                                       : unsure(o, i) || integer_at(values[o], i) == expected[i].i;
        if (ok) continue;
        return std::string(domain.name()) + ": element " + std::to_string(i) + " of @" + plan_.outputs[o].name;
      }
    }
    return "";
  }

  /// A predicate that rounding may decide: the bounded domain marks it in its second bit.
  bool unsure(size_t o, size_t i) const {
    const sim::Value& value = bounds_[o];
    return value.type.dtype == DType::pred && (value.plane<uint8_t>(0)[i] & 2) != 0;
  }

  /// The simulator's doubles and the interpreter's are both within `error` of the truth.
  bool near(double x, double error, size_t o, size_t i) const {
    const double expected = approximate_[o].whole.elements[i].x;
    return std::isnan(expected) || !std::isfinite(error) || std::fabs(x - expected) <= 4 * error;
  }

  const Module& module_;
  ProgramId id_;
  Plan plan_;
  std::vector<std::vector<int64_t>> elements_;
  std::vector<reference::AssembledOutput<double>> approximate_;
  std::vector<reference::AssembledOutput<mpq_class>> exact_;
  std::vector<sim::Value> bounds_;  ///< the outputs of the bounded domain
  bool ties_ = false;
};

/// Ops whose meaning in a ring is not that of real numbers: order is soft there.
bool has_order(const Module& module) {
  return std::any_of(module.programs.begin(), module.programs.end(), [](const Program& program) {
    for (size_t i = 0; i < program.op_count(); ++i) {
      const Op& op = program.op(OpId(i));
      const bool on_floats = !op.operands.empty() && is_float(program.value(op.operands[0]).type.tensor.dtype);
      const std::string_view name = op_name(op.data);
      static const std::set<std::string_view> order = {"maximum",   "minimum", "abs",     "sign",
                                                       "compare",   "reduce",  "top_k",   "floor",
                                                       "remainder", "power",   "convert", "all_reduce"};
      const auto* reduce = std::get_if<Reduce>(&op.data);
      const auto* sum = std::get_if<AllReduce>(&op.data);
      const bool linear = (reduce != nullptr && reduce->op == Reducer::add) ||
                          (sum != nullptr && sum->op != Reducer::max && sum->op != Reducer::min);
      if (on_floats && order.count(name) != 0 && !linear) return true;
    }
    return false;
  });
}

class AgainstTheReference : public ::testing::TestWithParam<int> {
 protected:
  static constexpr uint64_t kProgramsPerCase = 20;

  static std::set<std::string> run_case(int number, bool typed) {
    std::set<std::string> ops;
    for (uint64_t k = 0; k < kProgramsPerCase; ++k) {
      testing::RandomProgramOptions options;
      options.seed = static_cast<uint64_t>(number) * kProgramsPerCase + k + (typed ? 0 : 1000000);
      options.typed = typed;
      options.ops = 4 + k;
      options.max_elements = 64;
      options.exponentials = k % 2 == 1;
      const testing::RandomProgram random = random_program(options);
      const auto difference = [&](const Module& module) {
        const std::optional<ProgramId> program = module.find_program("p");
        if (!program) return std::string();
        return Comparison(module, *program, options.seed).difference(!has_order(module));
      };
      if (const std::string found = difference(random.module); !found.empty()) {
        ADD_FAILURE() << found << "\n"
                      << testing::shrink(random.module, [&](const Module& m) { return !difference(m).empty(); });
        break;
      }
      for (const Program& program : random.module.programs) {
        for (size_t i = 0; i < program.op_count(); ++i) ops.insert(std::string(op_name(program.op(OpId(i)).data)));
      }
    }
    return ops;
  }
};

TEST_P(AgainstTheReference, TypedPrograms) { EXPECT_GT(run_case(GetParam(), true).size(), 10u); }
TEST_P(AgainstTheReference, UntypedPrograms) { EXPECT_GT(run_case(GetParam(), false).size(), 10u); }

INSTANTIATE_TEST_SUITE_P(Seeds, AgainstTheReference, ::testing::Range(0, 10));

}  // namespace
}  // namespace isoshard
