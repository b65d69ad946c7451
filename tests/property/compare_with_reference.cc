#include "tests/property/compare_with_reference.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "core/value/integers.h"
#include "sim/domains/floats/bounded.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/domains/residues/ring_a.h"
#include "sim/evaluate/conversion.h"
#include "sim/lockstep/run.h"
#include "sim/run/assemble.h"
#include "tests/property/generator/dice.h"
#include "tests/reference/interpreter.h"

namespace isoshard::testing {
namespace {

/// Small integers: sums and products stay exact in doubles for a while, and quotients are short rationals.
std::vector<int64_t> draw_elements(const Global& global, Dice& dice) {
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
    case DType::i8:
    case DType::u8:
    case DType::i32:
    case DType::u32:
    case DType::i64:
    case DType::u64:
      return with_integer(type.dtype, [&](auto zero) { return native<decltype(zero)>(type, elements, domain); });
    case DType::key:
      return native<uint64_t>(type, elements, domain);
    default:
      return sim::from_doubles(type, std::vector<double>(elements.begin(), elements.end()), domain);
  }
}

/// Element `i` of a value that is no float; predicates may be ring elements.
int64_t number_at_place(const sim::Value& value, size_t i) {
  switch (value.type.dtype) {
    case DType::pred:
      return value.storage.element_bytes == 1 ? value.plane<uint8_t>(0)[i] : value.plane<uint32_t>(0)[i];
    case DType::key:
      return value.plane<int64_t>(0)[i];
    default:
      return with_integer(value.type.dtype,
                          [&](auto zero) { return static_cast<int64_t>(value.plane<decltype(zero)>(0)[i]); });
  }
}

/// An exact rational modulo a prime; nothing when its denominator is 0 there.
std::optional<uint32_t> residue(const mpq_class& x, uint64_t prime) {
  const mpz_class p(static_cast<unsigned long>(prime));
  mpz_class inverse;
  if (mpz_invert(inverse.get_mpz_t(), x.get_den_mpz_t(), p.get_mpz_t()) == 0) return std::nullopt;
  mpz_class result = x.get_num() * inverse % p;
  if (result < 0) result += p;
  return static_cast<uint32_t>(result.get_ui());
}

/// Ops whose meaning in a ring is not that of real numbers: order is soft there.
bool orders_floats(const Program& program, const Op& op) {
  static const std::set<std::string_view> kOrder = {
      "maximum",          "minimum", "abs",     "sign",       "compare", "reduce",    "top_k", "floor",
      "remainder",        "power",   "convert", "all_reduce", "clamp",   "is_finite", "ceil",  "round_nearest_even",
      "round_nearest_afz"};
  if (op.operands.empty() || !is_float(program.value(op.operands[0]).type.tensor.dtype)) return false;
  const auto* reduce = std::get_if<Reduce>(&op.data);
  const auto* sum = std::get_if<AllReduce>(&op.data);
  const auto is_exact = [](Reducer r) { return r == Reducer::none || r == Reducer::add || r == Reducer::mul; };
  const bool linear = (reduce != nullptr && is_exact(reduce->op)) || (sum != nullptr && is_exact(sum->op));
  return kOrder.count(op_name(op.data)) != 0 && !linear;
}

bool any_op(const Module& module, const std::function<bool(const Program&, const Op&)>& wanted) {
  return std::any_of(module.programs.begin(), module.programs.end(), [&](const Program& program) {
    for (size_t i = 0; i < program.op_count(); ++i) {
      if (wanted(program, program.op(OpId(i)))) return true;
    }
    return false;
  });
}

bool has_order(const Module& module) { return any_op(module, orders_floats); }

bool only_doubles(const Module& module) {
  return !any_op(module, [](const Program& program, const Op& op) {
    return std::any_of(op.results.begin(), op.results.end(), [&](ValueId id) {
      const DType dtype = program.value(id).type.tensor.dtype;
      return is_float(dtype) && dtype != DType::f64;
    });
  });
}

bool reads_padding(const Module& module) {
  return any_op(module, [](const Program&, const Op& op) {
    const View* view = std::get_if<View>(&op.data);
    return view != nullptr && std::any_of(view->layout.begin(), view->layout.end(),
                                          [](const ViewEntry& e) { return e.split == Split::uneven; });
  });
}

bool same(const reference::Outputs<double>& a, const reference::Outputs<double>& b) {
  const auto equal = [](const reference::Element<double>& x, const reference::Element<double>& y) {
    return x.i == y.i && (x.x == y.x || (std::isnan(x.x) && std::isnan(y.x)));
  };
  for (size_t o = 0; o < a.all.size(); ++o) {
    const auto &x = a.all[o].whole.elements, &y = b.all[o].whole.elements;
    if (!std::equal(x.begin(), x.end(), y.begin(), equal)) return false;
  }
  return true;
}

class Comparison {
 public:
  Comparison(const Module& module, ProgramId id, uint64_t seed) : module_(module), id_(id), plan_(lower(module, id)) {
    Dice dice(seed);
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

  Compared compare() {
    if (reads_padding(module_)) {
      const auto other = reference::run<double>(module_, id_, globals<double>(), reference::Padding::second);
      result_.padding_leaks = !same(approximate_, other);
    }
    if (ties_ || result_.padding_leaks) return result_;  // ties: rounding may have decided an integer
    const bool small = exact() && exact_->small_integers;
    in_bounded();
    near_in("f64", sim::Precision::f64);
    if (only_doubles(module_)) near_in("float", sim::Precision::as_written);
    if (small) equal_in("float", sim::Precision::as_written);
    if (small) equal_in("f32", sim::Precision::f32);
    if (exact() && !has_order(module_)) in_ring();
    return result_;
  }

 private:
  using Verdict = std::optional<bool>;  ///< nothing where an element cannot be judged

  void in_bounded() {
    judge("bounded", sim::bounded_domain(), [&](const sim::Value& value, size_t o, size_t i) {
      const double x = value.plane<double>(0)[i], error = value.plane<double>(1)[i];
      if (!exact() || !std::isfinite(x) || !std::isfinite(error)) return near(x, error, o, i);
      return Verdict(abs(mpq_class(x) - exact_at(o, i)) <= mpq_class(error));
    });
  }

  void near_in(const char* name, sim::Precision precision) {
    judge(name, sim::float_domain(precision), [&](const sim::Value& value, size_t o, size_t i) {
      return near(value.plane<double>(0)[i], bounds_[o].plane<double>(1)[i], o, i);
    });
  }

  void equal_in(const char* name, sim::Precision precision) {
    judge(name, sim::float_domain(precision), [&](const sim::Value& value, size_t o, size_t i) {
      const bool wide = value.storage.element_bytes == sizeof(double);
      return Verdict(mpq_class(wide ? value.plane<double>(0)[i] : value.plane<float>(0)[i]) == exact_at(o, i));
    });
  }

  /// Ring elements are the residues of the exact result.
  void in_ring() {
    const sim::RingDomain ring(2, 7);
    judge("ring", ring, [&](const sim::Value& value, size_t o, size_t i) {
      const std::optional<uint32_t> expected = residue(exact_at(o, i), ring.modulus(1));
      return expected ? Verdict(value.plane<uint32_t>(1)[i] == *expected) : std::nullopt;
    });
  }

  bool exact() const { return exact_.has_value(); }
  const mpq_class& exact_at(size_t o, size_t i) const { return exact_->all[o].whole.elements[i].x; }

  template <class T>
  std::vector<reference::Array<T>> globals() const {
    std::vector<reference::Array<T>> result;
    for (size_t g = 0; g < elements_.size(); ++g) {
      result.push_back(reference_array<T>(module_.globals[g].type, elements_[g]));
    }
    return result;
  }

  std::vector<sim::Value> outputs(const sim::Domain& domain) {
    std::vector<sim::Value> globals;
    for (size_t g = 0; g < elements_.size(); ++g) {
      globals.push_back(simulated(module_.globals[g].type, elements_[g], domain));
    }
    const Result<sim::RunResult> result = sim::run(plan_, domain, globals);
    if (!result) {
      result_.wrong = std::string(domain.name()) + ": " + result.error().message;
      return {};
    }
    std::vector<sim::Value> values;
    for (size_t o = 0; o < plan_.outputs.size(); ++o) {
      values.push_back(sim::assemble(plan_.outputs[o].type, result->outputs[o]).value);
    }
    return values;
  }

  /// Integers are equal everywhere; `right(value, output, element)` judges floats.
  template <class Right>
  void judge(const char* name, const sim::Domain& domain, const Right& right) {
    if (!result_.wrong.empty()) return;
    const std::vector<sim::Value> values = outputs(domain);
    for (size_t o = 0; o < values.size() && result_.wrong.empty(); ++o) {
      const reference::AssembledOutput<double>& expected = approximate_.all[o];
      if (!expected.covered) result_.wrong = "@" + plan_.outputs[o].name + " is not covered";
      for (size_t i = 0; i < expected.whole.elements.size() && result_.wrong.empty(); ++i) {
        const Verdict verdict =
            is_float(values[o].type.dtype) ? right(values[o], o, i) : equal_integers(values[o], o, i);
        if (verdict == std::optional(false)) {
          result_.wrong = std::string(name) + ": element " + std::to_string(i) + " of @" + plan_.outputs[o].name;
        }
        if (verdict) result_.domains.insert(name);
      }
    }
  }

  /// Nothing for a predicate that rounding may decide: the bounded domain marks it in its second bit.
  Verdict equal_integers(const sim::Value& value, size_t o, size_t i) const {
    const sim::Value& bound = bounds_[o];
    if (bound.type.dtype == DType::pred && (bound.plane<uint8_t>(0)[i] & 2) != 0) return std::nullopt;
    return number_at_place(value, i) == approximate_.all[o].whole.elements[i].i;
  }

  /// The simulator's doubles and the interpreter's are both within `error` of the truth; nothing without a bound.
  Verdict near(double x, double error, size_t o, size_t i) const {
    const double expected = approximate_.all[o].whole.elements[i].x;
    if (!std::isfinite(x) && error == 0) return Verdict(std::isnan(x) ? std::isnan(expected) : std::isinf(expected));
    if (std::isnan(expected) || !std::isfinite(error)) return std::nullopt;
    return std::fabs(x - expected) <= 4 * error;
  }

  const Module& module_;
  ProgramId id_;
  Plan plan_;
  std::vector<std::vector<int64_t>> elements_;
  reference::Outputs<double> approximate_;
  std::optional<reference::Outputs<mpq_class>> exact_;
  std::vector<sim::Value> bounds_;  ///< the outputs of the bounded domain
  bool ties_ = false;
  Compared result_;
};

}  // namespace

Compared compare_with_reference(const Module& module, ProgramId id, uint64_t seed) {
  return Comparison(module, id, seed).compare();
}

}  // namespace isoshard::testing
