// Elementwise functions and operators over arrays of f32 and f64. Each operator is a struct with one function of an
// element, and two loops are templates over these structs; `dispatch` compiles each loop once per instruction set,
// where the compiler vectorises it. All instruction sets give the same bits: each operation rounds alike on all of
// them, and NaNs are made canonical. Sums over devices are additions in place (`accumulate`), or of several terms at a
// time, which reads and writes the sum less often (`add_up`); `accumulate_bound` adds the rounding of each sum to an
// error bound as well (docs/spec/float_bounds.md, "Rounding bounds"). Cost: one pass over the elements.
#include "sim/kernels/elementwise.h"

#include <algorithm>
#include <array>

#include "core/ir/scalar/arctangent.h"
#include "core/ir/scalar/cube_root.h"
#include "core/ir/scalar/erf.h"
#include "core/ir/scalar/erf_inv.h"
#include "core/ir/scalar/exponential.h"
#include "core/ir/scalar/log.h"
#include "core/ir/scalar/logistic.h"
#include "core/ir/scalar/near_one.h"
#include "core/ir/scalar/power.h"
#include "core/ir/scalar/roots.h"
#include "core/ir/scalar/rounding.h"
#include "core/ir/scalar/tanh.h"
#include "core/ir/scalar/trigonometric.h"
#include "sim/kernels/dispatch.h"
#include "sim/kernels/rounding.h"
#include "sim/kernels/split_pass.h"

namespace isoshard::sim {
namespace {

using scalar::canonical;

struct NegateElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T x) {
    return canonical(-x);
  }
};
struct ExponentialElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T x) {
    return scalar::exponential(x);
  }
};
struct LogElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T x) {
    return scalar::log(x);
  }
};
struct TanhElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T x) {
    return scalar::tanh(x);
  }
};
struct LogisticElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T x) {
    return scalar::logistic(x);
  }
};
struct SqrtElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T x) {
    return scalar::sqrt(x);
  }
};
struct RsqrtElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T x) {
    return scalar::rsqrt(x);
  }
};
struct SineElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T x) {
    return scalar::sine(x);
  }
};
struct CosineElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T x) {
    return scalar::cosine(x);
  }
};
struct ErfInvElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T x) {
    return scalar::erf_inv(x);
  }
};
struct FloorElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T x) {
    return scalar::floor(x);
  }
};
struct ExponentialMinusOneElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T x) {
    return scalar::exponential_minus_one(x);
  }
};
struct LogPlusOneElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T x) {
    return scalar::log_plus_one(x);
  }
};
struct CbrtElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T x) {
    return scalar::cbrt(x);
  }
};
struct ErfElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T x) {
    return scalar::erf(x);
  }
};
struct ErfcElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T x) {
    return scalar::erfc(x);
  }
};
struct RoundNearestEvenElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T x) {
    return scalar::round_nearest_even(x);
  }
};
struct RoundNearestAfzElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T x) {
    return scalar::round_nearest_afz(x);
  }
};
struct AddElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T a, T b) {
    return canonical(a + b);
  }
};
struct SubtractElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T a, T b) {
    return canonical(a - b);
  }
};
struct MultiplyElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T a, T b) {
    return canonical(a * b);
  }
};
struct DivideElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T a, T b) {
    return canonical(a / b);
  }
};
struct PowerElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T a, T b) {
    return scalar::power(a, b);
  }
};
struct RemainderElement {
  template <typename T>
  ISOSHARD_SCALAR static T of(T a, T b) {
    return scalar::remainder(a, b);
  }
};

struct Atan2Element {
  template <typename T>
  ISOSHARD_SCALAR static T of(T a, T b) {
    return scalar::atan2(a, b);
  }
};

template <typename Op>
struct UnaryLoop {
  template <typename T>
  ISOSHARD_SCALAR static void run(const T* x, T* y, std::int64_t n) {
    ISOSHARD_INDEPENDENT_LOOP
    for (std::int64_t i = 0; i < n; ++i) y[i] = Op::of(x[i]);
  }
};

template <typename Op>
struct BinaryLoop {
  template <typename T>
  ISOSHARD_SCALAR static void run(const T* a, const T* b, T* y, std::int64_t n) {
    ISOSHARD_INDEPENDENT_LOOP
    for (std::int64_t i = 0; i < n; ++i) y[i] = Op::of(a[i], b[i]);
  }
  template <typename T>
  ISOSHARD_SCALAR static void run(const T* a, T b, T* y, std::int64_t n) {
    ISOSHARD_INDEPENDENT_LOOP
    for (std::int64_t i = 0; i < n; ++i) y[i] = Op::of(a[i], b);
  }
};

/// What one pass over memory adds up; more streams at a time gain little.
constexpr std::size_t kTermsOfPass = 5;
/// The elements that such passes go through together, while the sum stays in the first cache.
constexpr std::int64_t kPiece = 2048;

struct AddUpLoop {
  template <typename T>
  using Terms = std::array<const T*, kTermsOfPass>;

  template <int kTerms, typename T>
  ISOSHARD_SCALAR static void add(const Terms<T>& terms, T* y, std::int64_t n) {
    ISOSHARD_INDEPENDENT_LOOP
    for (std::int64_t i = 0; i < n; ++i) {
      T sum = terms[0][i] + terms[1][i];
      if constexpr (kTerms > 2) sum += terms[2][i];
      if constexpr (kTerms > 3) sum += terms[3][i];
      if constexpr (kTerms > 4) sum += terms[4][i];
      y[i] = canonical(sum);
    }
  }
  template <typename T>
  ISOSHARD_SCALAR static void run(const Terms<T>* terms, std::size_t count, T* y, std::int64_t n) {
    if (count == 5) return add<5>(*terms, y, n);
    if (count == 4) return add<4>(*terms, y, n);
    if (count == 3) return add<3>(*terms, y, n);
    add<2>(*terms, y, n);
  }
};

struct AccumulateBoundLoop {
  ISOSHARD_SCALAR static void run(double* acc, double* acc_error, const double* x, const double* x_error,
                                  std::int64_t n) {
    ISOSHARD_INDEPENDENT_LOOP
    for (std::int64_t i = 0; i < n; ++i) {
      const double sum = canonical(acc[i] + x[i]);
      const double size = scalar::magnitude(sum);
      const double error = acc_error[i] + x_error[i] + kUnit * size;
      acc[i] = sum;
      acc_error[i] = size < kInfinity ? error : kInfinity;
    }
  }
};

template <typename T>
void unary_of(Isa isa, UnaryOp op, const T* x, T* y, std::int64_t n) {
  switch (op) {
    case UnaryOp::negate:
      return dispatch<UnaryLoop<NegateElement>>(isa, x, y, n);
    case UnaryOp::exponential:
      return dispatch<UnaryLoop<ExponentialElement>>(isa, x, y, n);
    case UnaryOp::log:
      return dispatch<UnaryLoop<LogElement>>(isa, x, y, n);
    case UnaryOp::tanh:
      return dispatch<UnaryLoop<TanhElement>>(isa, x, y, n);
    case UnaryOp::logistic:
      return dispatch<UnaryLoop<LogisticElement>>(isa, x, y, n);
    case UnaryOp::sqrt:
      return dispatch<UnaryLoop<SqrtElement>>(isa, x, y, n);
    case UnaryOp::rsqrt:
      return dispatch<UnaryLoop<RsqrtElement>>(isa, x, y, n);
    case UnaryOp::sine:
      return dispatch<UnaryLoop<SineElement>>(isa, x, y, n);
    case UnaryOp::cosine:
      return dispatch<UnaryLoop<CosineElement>>(isa, x, y, n);
    case UnaryOp::erf_inv:
      return dispatch<UnaryLoop<ErfInvElement>>(isa, x, y, n);
    case UnaryOp::floor:
      return dispatch<UnaryLoop<FloorElement>>(isa, x, y, n);
    case UnaryOp::exponential_minus_one:
      return dispatch<UnaryLoop<ExponentialMinusOneElement>>(isa, x, y, n);
    case UnaryOp::log_plus_one:
      return dispatch<UnaryLoop<LogPlusOneElement>>(isa, x, y, n);
    case UnaryOp::cbrt:
      return dispatch<UnaryLoop<CbrtElement>>(isa, x, y, n);
    case UnaryOp::erf:
      return dispatch<UnaryLoop<ErfElement>>(isa, x, y, n);
    case UnaryOp::erfc:
      return dispatch<UnaryLoop<ErfcElement>>(isa, x, y, n);
    case UnaryOp::round_nearest_even:
      return dispatch<UnaryLoop<RoundNearestEvenElement>>(isa, x, y, n);
    case UnaryOp::round_nearest_afz:
      return dispatch<UnaryLoop<RoundNearestAfzElement>>(isa, x, y, n);
  }
}

template <typename T, typename Second>
void binary_of(Isa isa, BinaryOp op, const T* a, Second b, T* y, std::int64_t n) {
  switch (op) {
    case BinaryOp::add:
      return dispatch<BinaryLoop<AddElement>>(isa, a, b, y, n);
    case BinaryOp::subtract:
      return dispatch<BinaryLoop<SubtractElement>>(isa, a, b, y, n);
    case BinaryOp::multiply:
      return dispatch<BinaryLoop<MultiplyElement>>(isa, a, b, y, n);
    case BinaryOp::divide:
      return dispatch<BinaryLoop<DivideElement>>(isa, a, b, y, n);
    case BinaryOp::power:
      return dispatch<BinaryLoop<PowerElement>>(isa, a, b, y, n);
    case BinaryOp::remainder:
      return dispatch<BinaryLoop<RemainderElement>>(isa, a, b, y, n);
    case BinaryOp::atan2:
      return dispatch<BinaryLoop<Atan2Element>>(isa, a, b, y, n);
  }
}

/// Elements from `begin` on.
template <typename T>
void add_up_piece(Isa isa, std::span<const T* const> terms, T* y, std::int64_t begin, std::int64_t n) {
  if (terms.size() == 1 && terms[0] != y) std::copy_n(terms[0] + begin, n, y + begin);
  AddUpLoop::Terms<T> pass{terms[0] + begin};
  for (std::size_t done = 1; done < terms.size(); pass[0] = y + begin) {
    std::size_t count = 1;
    while (count < kTermsOfPass && done < terms.size()) pass[count++] = terms[done++] + begin;
    dispatch<AddUpLoop>(isa, &pass, count, y + begin, n);
  }
}

template <typename T>
void add_up_of(Isa isa, std::span<const T* const> terms, T* y, std::int64_t n) {
  if (n <= kPiece) return add_up_piece(isa, terms, y, 0, n);
  split_pass(n, kPiece, [&](std::int64_t begin, std::int64_t size) { add_up_piece(isa, terms, y, begin, size); });
}

}  // namespace

void unary(Isa isa, UnaryOp op, const float* x, float* y, std::int64_t n) { unary_of(isa, op, x, y, n); }
void unary(Isa isa, UnaryOp op, const double* x, double* y, std::int64_t n) { unary_of(isa, op, x, y, n); }

void binary(Isa isa, BinaryOp op, const float* a, const float* b, float* y, std::int64_t n) {
  binary_of(isa, op, a, b, y, n);
}
void binary(Isa isa, BinaryOp op, const double* a, const double* b, double* y, std::int64_t n) {
  binary_of(isa, op, a, b, y, n);
}

void binary_scalar(Isa isa, BinaryOp op, const float* a, float b, float* y, std::int64_t n) {
  binary_of(isa, op, a, b, y, n);
}
void binary_scalar(Isa isa, BinaryOp op, const double* a, double b, double* y, std::int64_t n) {
  binary_of(isa, op, a, b, y, n);
}

void accumulate(Isa isa, float* acc, const float* x, std::int64_t n) {
  binary_of<float>(isa, BinaryOp::add, acc, x, acc, n);
}
void accumulate(Isa isa, double* acc, const double* x, std::int64_t n) {
  binary_of<double>(isa, BinaryOp::add, acc, x, acc, n);
}

void add_up(Isa isa, std::span<const float* const> terms, float* y, std::int64_t n) { add_up_of(isa, terms, y, n); }
void add_up(Isa isa, std::span<const double* const> terms, double* y, std::int64_t n) { add_up_of(isa, terms, y, n); }

void accumulate_bound(Isa isa, double* acc, double* acc_error, const double* x, const double* x_error, std::int64_t n) {
  dispatch<AccumulateBoundLoop>(isa, acc, acc_error, x, x_error, n);
}

}  // namespace isoshard::sim
