#pragma once

#include "sim/domains/domain.h"

namespace isoshard::sim {

/// The format in which a float domain computes.
enum class Precision : uint8_t {
  as_written,  ///< every dtype in itself
  f32,         ///< all floats in f32
  f64,         ///< all floats in f64
};

/// What padding is: NaN, or numbers between 1/2 and 1 that differ, where most functions are finite.
enum class FloatPadding : uint8_t { nan, numbers };

/// Ordinary IEEE floats, one plane. Results have the same bits for any instruction set and number of workers.
///
/// Constants are rounded to nearest, ties to even, in one step. to_tensor keeps the format of the computation. As
/// written, bf16 and f16 values are stored and computed in f32 and rounded after every op; sums, dots and reductions
/// over a group accumulate in f32 and are rounded once.
class FloatDomain : public Domain, private InPlaceDot {
 public:
  explicit FloatDomain(Precision precision = Precision::as_written, FloatPadding padding = FloatPadding::nan)
      : precision_(precision), padding_(padding) {}

  std::string_view name() const override;
  Storage storage(DType dtype) const override;
  void constant(const Rational& constant, DType dtype, std::byte* out) const override;
  void from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const override;
  void poison(DType dtype, uint64_t seed, int64_t n, std::byte* out) const override;
  void from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const override;
  void from_unsigned(DType dtype, int64_t n, const uint64_t* x, std::byte* out) const override;
  void to_integers(DType dtype, int64_t n, const std::byte* x, DType to, int64_t* out) const override;
  void convert(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  Tensor to_tensor(const Value& value) const override;
  void unary(UnaryOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
              std::byte* out) const override;
  void dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
           std::byte* out) const override;
  const InPlaceDot* in_place_dot() const override { return this; }
  void dot_in_place(DType dtype, const DotSizes& sizes, const DotOperand& a, const DotOperand& b,
                    const DotResult& out) const override;
  void sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const override;
  void accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const override;
  /// In few passes over memory. A domain whose `accumulate` is another one overrides this, too.
  void add_up(DType dtype, int64_t n, std::span<const std::byte* const> terms, std::byte* out) const override;
  void from_native(int64_t n, const uint8_t* x, std::byte* out) const override;
  void decide(int64_t n, const std::byte* predicate, uint8_t* out) const override;
  void to_float(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const override;
  void compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override;
  void finite(DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const override;
  void select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
              std::byte* out) const override;
  void sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override;
  void top_k(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, int32_t* indices) const override;
  void finish_sum(DType dtype, int64_t n, std::byte* sum) const override;

 private:
  /// The format that values of `dtype` are stored and computed in: f32 or f64.
  DType format(DType dtype) const;
  /// Whether values of `dtype` are rounded to fewer bits than their format has.
  bool rounds(DType dtype) const;
  template <class T>
  void from_numbers(DType dtype, int64_t n, const T* x, std::byte* out) const;
  /// Rounds results that were computed in f32 where `dtype` is narrower.
  void round(DType dtype, int64_t n, std::byte* x) const;

  Precision precision_;
  FloatPadding padding_;
};

/// The domain of `precision`; it lives as long as the process.
const Domain& float_domain(Precision precision = Precision::as_written);

}  // namespace isoshard::sim
