#pragma once

#include <memory>

#include "sim/domains/soft/soft_cell_arrays.h"
#include "sim/domains/soft/soft_float_arrays.h"
#include "sim/domains/soft/soft_number_arrays.h"
#include "sim/domains/soft/soft_order_arrays.h"
#include "sim/domains/soft/soft_products.h"
#include "sim/domains/soft/soft_word_domain.h"

namespace isoshard::sim {

/// A ring of soft integers whose floats know which tables and numbers they are (SoftFloatArrays): functions of floats.
class SoftFloatDomain : public SoftWordDomain {
 public:
  using Options = SoftOptions;

  Storage storage(DType dtype) const override;
  void random(int64_t n, const RandomWord& word, std::byte* out) const override;
  void constant(const Rational& constant, DType dtype, std::byte* out) const override {
    arrays_.put_constant(constant, dtype, out);
  }
  void from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const override;
  void from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const override;
  void convert(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  void unary(UnaryOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
              std::byte* out) const override;
  void dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
           std::byte* out) const override;
  void sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const override;
  void accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const override;
  void sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override;

 protected:
  SoftFloatDomain(std::unique_ptr<ExactRing> ring, uint64_t seed, Options options);

  Options options_;
  SoftFloatArrays arrays_;
  SoftNumberArrays numbers_;
  SoftProducts products_;
  SoftCellArrays cells_;
  SoftOrderArrays order_;

 private:
  void sum_tables(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const;
};

}  // namespace isoshard::sim
