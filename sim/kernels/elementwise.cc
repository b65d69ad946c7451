// Elementwise functions and operators over arrays of f32 and f64. Each operator is a struct with one function of an
// element, and two loops are templates over these structs; `dispatch` compiles each loop once per instruction set,
// where the compiler vectorises it. All instruction sets give the same bits: each operation rounds alike on all of
// them, and NaNs are made canonical. Sums over devices (`accumulate`) are additions in place; `accumulate_bound` adds
// the rounding of each sum to an error bound as well (docs/spec/float_bounds.md, "Rounding bounds"). Cost: one pass
// over the elements.
#include "sim/kernels/elementwise.h"

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

void accumulate_bound(Isa isa, double* acc, double* acc_error, const double* x, const double* x_error, std::int64_t n) {
  dispatch<AccumulateBoundLoop>(isa, acc, acc_error, x, x_error, n);
}

}  // namespace isoshard::sim
