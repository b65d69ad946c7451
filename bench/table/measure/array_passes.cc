#include "bench/table/measure/array_passes.h"

#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>

#include "bench/table/measure/alternating.h"
#include "bench/table/measure/numbers.h"
#include "core/ir/types/type.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/kernels/elementwise.h"
#include "sim/kernels/reduce.h"
#include "sim/value/movement.h"

namespace isoshard::bench {
namespace {

using sim::BinaryOp;
using sim::UnaryOp;

struct Pass {
  std::function<void()> run;
  double bytes;  ///< read and written; of sums, read
  bool reads_only = false;
};

/// The arrays of a pass, and what it does with them.
class Arrays {
 public:
  explicit Arrays(std::int64_t side)
      : side_(side), x_(static_cast<size_t>(side * side)), y_(x_.size()), z_(x_.size(), 1.0F) {
    for (size_t i = 0; i < x_.size(); ++i) x_[i] = static_cast<float>(i * 7919 % 13) / 8 - 0.75F;
    const std::vector<double> doubles(x_.begin(), x_.end());
    value_ = sim::from_doubles(TensorType{DType::f32, {side, side}}, doubles, sim::float_domain());
  }

  double bytes() const { return static_cast<double>(x_.size() * sizeof(float)); }

  Pass pass(ArrayPass kind) {
    const sim::Isa isa = sim::best_isa();
    const std::int64_t n = side_ * side_;
    const float *x = x_.data(), *z = z_.data();
    float* y = y_.data();
    switch (kind) {
      case ArrayPass::add:
        return {[=] { sim::binary(isa, BinaryOp::add, x, z, y, n); }, 3 * bytes()};
      case ArrayPass::multiply_by_number:
        return {[=] { sim::binary_scalar(isa, BinaryOp::multiply, x, 3.0F, y, n); }, 2 * bytes()};
      case ArrayPass::exponential:
        return {[=] { sim::unary(isa, UnaryOp::exponential, x, y, n); }, 2 * bytes()};
      case ArrayPass::tanh:
        return {[=] { sim::unary(isa, UnaryOp::tanh, x, y, n); }, 2 * bytes()};
      case ArrayPass::slice:
        return sliced();
      case ArrayPass::transpose:
        return transposed();
      case ArrayPass::sum_of_rows:
        return summed(isa, 1);
      case ArrayPass::sum_of_columns:
        return summed(isa, 0);
    }
    throw std::logic_error("a pass without a case");
  }

  /// memcpy of the array.
  std::function<void()> copy() {
    return [this] { std::memcpy(y_.data(), z_.data(), z_.size() * sizeof(float)); };
  }

  /// Reads the array for a byte that is not in it.
  std::function<void()> read() {
    return [this] {
      if (std::memchr(z_.data(), 0x7F, z_.size() * sizeof(float)) != nullptr) throw std::logic_error("0x7F in ones");
    };
  }

 private:
  /// The half of each row in its middle.
  Pass sliced() {
    const std::int64_t low = side_ / 4, high = low + side_ / 2;
    return {[this, low, high] {
              const int64_t start[] = {0, low}, limit[] = {side_, high};
              sim::slice(value_, start, limit);
            },
            bytes()};
  }

  Pass transposed() {
    return {[this] {
              const int64_t permutation[] = {1, 0};
              sim::transpose(value_, permutation);
            },
            2 * bytes()};
  }

  Pass summed(sim::Isa isa, std::int64_t dim) {
    const std::int64_t shape[] = {side_, side_}, dims[] = {dim};
    const sim::ReducePlan plan(shape, dims);
    return {[this, isa, plan] { sim::reduce_sum(isa, plan, x_.data(), y_.data()); }, bytes(), true};
  }

  std::int64_t side_;
  std::vector<float> x_, y_, z_;
  sim::Value value_;
};

}  // namespace

Measured array_pass(ArrayPass kind, std::int64_t side) {
  Arrays arrays(side);
  const Pass pass = arrays.pass(kind);
  const double measure_bytes = pass.reads_only ? arrays.bytes() : 2 * arrays.bytes();
  const std::vector<double> seconds =
      least_seconds(TimeOf::thread, {pass.run, pass.reads_only ? arrays.read() : arrays.copy()});
  const double rate = pass.bytes / seconds[0] * 1e-9, measure = measure_bytes / seconds[1] * 1e-9;
  return {100 * rate / measure,
          0,
          digits(rate) + " GB/s beside " + digits(measure) + (pass.reads_only ? " of memchr" : " of memcpy"),
          {{"own_GB_s", rate}, {"measure_GB_s", measure}}};
}

}  // namespace isoshard::bench
