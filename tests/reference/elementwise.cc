// Ops whose result at an index depends on the operands there, and constants.

#include <algorithm>
#include <bit>
#include <functional>

#include "core/support/rational_gmp.h"
#include "tests/reference/local_ops.h"

namespace isoshard::reference {
namespace {

/// At a bound clamp has the derivative of neither side, also where both have one slope.
template <class T>
void note_kink(const T&) {}
void note_kink(const Formal&) { ++Formal::ties; }

template <class T>
struct ElementwiseOp : LocalOp<T> {
  using typename LocalOp<T>::A;
  using typename LocalOp<T>::E;
  using LocalOp<T>::in;
  using LocalOp<T>::out;
  using LocalOp<T>::floats;
  using LocalOp<T>::dtype;
  using LocalOp<T>::make;
  using LocalOp<T>::unary;
  using LocalOp<T>::function;
  using LocalOp<T>::binary;
  using LocalOp<T>::less;
  using LocalOp<T>::plus;

  std::vector<A> apply(const Constant& op) const {
    if (is_float(out().dtype)) return make([&](const Index&) { return E{from_rational(op.value, T()), 0}; });
    const mpz_class& value = to_mpq(op.value).get_num();
    const int64_t i = value < 0 ? value.get_si() : static_cast<int64_t>(value.get_ui());
    return make([&](const Index&) { return E{T(), i}; });
  }
  std::vector<A> apply(const Iota& op) const {
    return make([&](const Index& index) {
      const int64_t i = index[u(op.dim)];
      return is_float(out().dtype) ? E{T(static_cast<double>(i)), 0} : E{T(), wrapped(i, out().dtype)};
    });
  }

  std::vector<A> apply(const Negate&) const {
    return unary([](const T& x) { return T(-x); }, [](Wide i) { return -i; });
  }
  std::vector<A> apply(const Abs&) const {
    return unary([](const T& x) { return T(x < 0 ? T(-x) : x); }, [](Wide i) { return i < 0 ? -i : i; });
  }
  std::vector<A> apply(const Sign&) const {
    return unary(
        [](const T& x) {
          return is_nan(x) ? x : T(x > 0 ? 1 : x < 0 ? -1 : 0);
        },
        [](Wide i) {
          return static_cast<Wide>(i > 0 ? 1 : i < 0 ? -1 : 0);
        });
  }
  std::vector<A> apply(const Floor&) const {
    return unary([](const T& x) { return floor_of(x); }, [](Wide i) { return i; });
  }
  std::vector<A> apply(const Exponential&) const {
    return function("exp", [](double x) { return std::exp(x); });
  }
  std::vector<A> apply(const Log&) const {
    return function("log", [](double x) { return std::log(x); });
  }
  std::vector<A> apply(const Tanh&) const {
    return function("tanh", [](double x) { return std::tanh(x); });
  }
  std::vector<A> apply(const Logistic&) const {
    return function("logistic", [](double x) { return 1 / (1 + std::exp(-x)); });
  }
  std::vector<A> apply(const Sqrt&) const {
    return function("sqrt", [](double x) { return std::sqrt(x); });
  }
  std::vector<A> apply(const Rsqrt&) const {
    return function("rsqrt", [](double x) { return 1 / std::sqrt(x); });
  }
  std::vector<A> apply(const Sine&) const {
    return function("sine", [](double x) { return std::sin(x); });
  }
  std::vector<A> apply(const Cosine&) const {
    return function("cosine", [](double x) { return std::cos(x); });
  }
  std::vector<A> apply(const ErfInv&) const {
    return function("erf_inv", [](double x) { return inverse_of_erf(x); });
  }
  std::vector<A> apply(const ExponentialMinusOne&) const {
    return function("expm1", [](double x) { return std::expm1(x); });
  }
  std::vector<A> apply(const LogPlusOne&) const {
    return function("log1p", [](double x) { return std::log1p(x); });
  }
  std::vector<A> apply(const Cbrt&) const {
    return function("cbrt", [](double x) { return std::cbrt(x); });
  }
  std::vector<A> apply(const Erf&) const {
    return function("erf", [](double x) { return std::erf(x); });
  }
  std::vector<A> apply(const Erfc&) const {
    return function("erfc", [](double x) { return std::erfc(x); });
  }
  std::vector<A> apply(const Ceil&) const {
    return unary([](const T& x) { return T(-floor_of(T(-x))); }, [](Wide i) { return i; });
  }
  std::vector<A> apply(const RoundNearestEven&) const {
    return unary([](const T& x) { return nearest(x, true); }, [](Wide i) { return i; });
  }
  std::vector<A> apply(const RoundNearestAfz&) const {
    return unary([](const T& x) { return nearest(x, false); }, [](Wide i) { return i; });
  }
  std::vector<A> apply(const Atan2&) const {
    return binary([](const T& a, const T& b) { return angle(a, b); },
                  [](Wide, Wide) -> Wide { throw Unsupported("integer atan2"); });
  }

  std::vector<A> apply(const Add&) const {
    return binary(std::plus<T>(), [](Wide a, Wide b) { return a + b; });
  }
  std::vector<A> apply(const Subtract&) const {
    return binary(std::minus<T>(), [](Wide a, Wide b) { return a - b; });
  }
  std::vector<A> apply(const Multiply&) const {
    return binary(std::multiplies<T>(), [](Wide a, Wide b) { return a * b; });
  }
  std::vector<A> apply(const Divide&) const {
    return binary([](const T& a, const T& b) { return divide(a, b); },
                  [](Wide, Wide) -> Wide { throw Unsupported("integer division"); });
  }
  std::vector<A> apply(const Power&) const {
    return binary([](const T& a, const T& b) { return power(a, b); },
                  [](Wide, Wide) -> Wide { throw Unsupported("integer power"); });
  }
  std::vector<A> apply(const Remainder&) const {
    return binary([](const T& a, const T& b) { return T(a - b * truncated(divide(a, b))); },
                  [](Wide a, Wide b) { return b == 0 ? a : a % b; });
  }
  std::vector<A> apply(const Maximum&) const {
    return binary([](const T& a, const T& b) { return is_nan(a) || a > b ? a : b; },
                  [](Wide a, Wide b) { return a > b ? a : b; });
  }
  std::vector<A> apply(const Minimum&) const {
    return binary([](const T& a, const T& b) { return is_nan(a) || a < b ? a : b; },
                  [](Wide a, Wide b) { return a < b ? a : b; });
  }
  std::vector<A> apply(const And&) const {
    return make([&](const Index& i) { return E{T(), in(0).at(i).i & in(1).at(i).i}; });
  }
  std::vector<A> apply(const Or&) const {
    return make([&](const Index& i) { return E{T(), in(0).at(i).i | in(1).at(i).i}; });
  }
  std::vector<A> apply(const Xor&) const {
    return make([&](const Index& i) { return E{T(), in(0).at(i).i ^ in(1).at(i).i}; });
  }
  std::vector<A> apply(const IntegerDivide&) const {
    return binary([](const T&, const T&) -> T { throw Unsupported("integer division of floats"); },
                  [](Wide a, Wide b) { return b == 0 ? Wide{-1} : a / b; });
  }
  /// Of the bits of an element and of the second operand, as unsigned numbers.
  template <class F>
  std::vector<A> of_bits(const F& f) const {
    return make([&](const Index& index) {
      const auto width = static_cast<int64_t>(8 * info(dtype()).bytes);
      const auto bits = [&](size_t n) {
        const auto number = static_cast<uint64_t>(in(n).at(index).i);
        return number << (64 - width) >> (64 - width);
      };
      return E{T(), wrapped(f(bits, width), dtype())};
    });
  }
  std::vector<A> apply(const ShiftLeft&) const {
    return of_bits([](const auto& bits, int64_t width) {
      return bits(1) < static_cast<uint64_t>(width) ? static_cast<Wide>(bits(0) << bits(1)) : Wide{0};
    });
  }
  std::vector<A> apply(const ShiftRightArithmetic&) const {
    return of_bits([](const auto& bits, int64_t width) {
      const bool negative = bits(0) >> (width - 1) != 0;
      Wide number = static_cast<Wide>(bits(0)) - (negative ? Wide{1} << width : Wide{0});
      for (uint64_t n = 0; n < std::min<uint64_t>(bits(1), 64); ++n) number = (number - (number & 1)) / 2;
      return number;
    });
  }
  std::vector<A> apply(const Popcnt&) const {
    return of_bits([](const auto& bits, int64_t) { return static_cast<Wide>(std::popcount(bits(0))); });
  }
  std::vector<A> apply(const CountLeadingZeros&) const {
    return of_bits([](const auto& bits, int64_t width) {
      return static_cast<Wide>(std::countl_zero(bits(0)) - (64 - static_cast<int>(width)));
    });
  }
  std::vector<A> apply(const ShiftRightLogical&) const {
    return make([&](const Index& index) {
      const auto width = static_cast<int64_t>(8 * info(dtype()).bytes);
      const int64_t x = in(0).at(index).i, by = in(1).at(index).i;
      const uint64_t bits = static_cast<uint64_t>(x) << (64 - width) >> (64 - width);
      return E{T(), by < 0 || by >= width ? 0 : wrapped(static_cast<Wide>(bits >> by), dtype())};
    });
  }
  std::vector<A> apply(const Not&) const {
    return make([&](const Index& index) {
      const int64_t i = in(0).at(index).i;
      return E{T(), dtype() == DType::pred ? 1 - i : wrapped(~i, dtype())};
    });
  }
  std::vector<A> apply(const Compare& op) const {
    return make([&](const Index& index) {
      const E &a = in(0).at(index), &b = in(1).at(index);
      const bool lt = less(a, b, dtype()), gt = less(b, a, dtype()), eq = floats() ? a.x == b.x : a.i == b.i;
      const bool truth[] = {false, eq, !eq, lt, lt || eq, gt, gt || eq};
      return E{T(), truth[static_cast<size_t>(op.direction)] ? 1 : 0};
    });
  }
  /// x - x is 0 of numbers only.
  std::vector<A> apply(const IsFinite&) const {
    return make([&](const Index& index) {
      const T& x = in(0).at(index).x;
      return E{T(), is_nan(T(x - x)) ? 0 : 1};
    });
  }
  std::vector<A> apply(const Select&) const {
    return make([&](const Index& index) {
      const E& pred = in(0).type.shape.empty() ? in(0).elements[0] : in(0).at(index);
      return in(pred.i != 0 ? 1 : 2).at(index);
    });
  }
  std::vector<A> apply(const Clamp&) const {
    return make([&](const Index& index) {
      const auto bound = [&](size_t n) { return in(n).type.shape.empty() ? in(n).elements[0] : in(n).at(index); };
      const auto is_none = [&](const E& e) { return floats() && is_nan(e.x); };
      const E &x = in(1).at(index), low = bound(0), high = bound(2);
      const E raised = is_none(x) || less(low, x, dtype()) ? x : low;
      if (floats() && (x.x == low.x || raised.x == high.x)) note_kink(x.x);
      return is_none(raised) || less(raised, high, dtype()) ? raised : high;
    });
  }
  std::vector<A> apply(const Convert& op) const {
    return make([&](const Index& index) {
      const E& e = in(0).at(index);
      if (op.dtype == DType::pred) return E{T(), (floats() ? e.x != 0 : e.i != 0) ? 1 : 0};
      if (is_float(op.dtype)) return floats() ? e : E{from_rational(whole(number_of(e.i, dtype())), T()), 0};
      return E{T(), floats() ? to_integer(truncated(e.x), op.dtype) : wrapped(e.i, op.dtype)};
    });
  }
  std::vector<A> apply(const StopGradient&) const {
    return make([&](const Index& index) { return E{fixed(in(0).at(index).x), in(0).at(index).i}; });
  }
};

}  // namespace

template <class T>
Results<T> elementwise(const OpData& op, const LocalOp<T>& local) {
  return apply_if_known(op, ElementwiseOp<T>{local});
}
template Results<double> elementwise(const OpData&, const LocalOp<double>&);
template Results<Rounded> elementwise(const OpData&, const LocalOp<Rounded>&);
template Results<Formal> elementwise(const OpData&, const LocalOp<Formal>&);
template Results<Quad> elementwise(const OpData&, const LocalOp<Quad>&);
template Results<mpq_class> elementwise(const OpData&, const LocalOp<mpq_class>&);

}  // namespace isoshard::reference
