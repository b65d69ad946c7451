// Exact products of residues by matrix products of f64, whose fused multiply-adds are the fastest multiplications that
// a vector has. Residues are taken between -p/2 and p/2 and cut into limbs, so short that sums of products of limbs
// over a stretch of k stay integers of at most 2^53: no addition rounds. Below 2^31 B has two limbs of 16 bits and A is
// whole (a sum of 256 products of 2^30 and 2^15), below 2^61 both have three of 20 (a sum of 8192 products of 2^40).
// Limbs of B lie side by side, those of A below each other, so that one product of gemm makes all of theirs; blocks fit
// the second cache. Cost: 2 or 9 multiply-adds of f64 for each product; per block, one pass that reduces.
#include "sim/kernels/gemm_residues.h"

#include <algorithm>

#include "core/ir/scalar/host_device.h"
#include "sim/kernels/dispatch.h"
#include "sim/kernels/gemm.h"
#include "sim/kernels/mod31.h"
#include "sim/kernels/panel.h"

namespace isoshard::sim::detail {
namespace {

__extension__ using SignedWide = __int128;

/// One row of residues below 2^31, as numbers between -p/2 and p/2.
struct CenterRow {
  ISOSHARD_SCALAR static void run(std::int32_t p, const Residue* x, double* y, Index n) {
    ISOSHARD_INDEPENDENT_LOOP
    for (Index i = 0; i < n; ++i) {
      const auto residue = static_cast<std::int32_t>(x[i]);
      y[i] = residue > p / 2 ? residue - p : residue;
    }
  }
};

/// The same as 2^15 high + low, low in [-2^14, 2^14).
struct SplitRow {
  ISOSHARD_SCALAR static void run(std::int32_t p, const Residue* x, double* high, double* low, Index n) {
    constexpr std::int32_t kHalf = 1 << 14;
    ISOSHARD_INDEPENDENT_LOOP
    for (Index i = 0; i < n; ++i) {
      const auto residue = static_cast<std::int32_t>(x[i]);
      const std::int32_t shifted = (residue > p / 2 ? residue - p : residue) + kHalf;
      high[i] = shifted >> 15;
      low[i] = (shifted & (2 * kHalf - 1)) - kHalf;
    }
  }
};

/// x minus the multiple of p next to it, for an integer of at most 2^53.
ISOSHARD_SCALAR double nearest_rest(double x, double p, double inverse) {
  constexpr double kToInteger = 0x1.8p52;  // adding it rounds to an integer
  const double quotient = (x * inverse + kToInteger) - kToInteger;
  return scalar::fused(-quotient, p, x);
}

/// c takes up 2^15 high + low.
struct JoinRow {
  ISOSHARD_SCALAR static void run(double p, double inverse, const double* high, const double* low, Residue* c,
                                  Index n) {
    ISOSHARD_INDEPENDENT_LOOP
    for (Index i = 0; i < n; ++i) {
      const auto before = static_cast<double>(static_cast<std::int32_t>(c[i]));
      const double sum = nearest_rest(high[i], p, inverse) * 0x1p15 + low[i] + before;
      const double rest = nearest_rest(sum, p, inverse);
      c[i] = static_cast<Residue>(static_cast<std::int32_t>(rest < 0 ? rest + p : rest));
    }
  }
};

/// One row of residues below 2^61 as low + 2^20 middle + 2^40 high, each at most 2^20.
struct SplitWideRow {
  ISOSHARD_SCALAR static void run(std::int64_t p, const std::uint64_t* x, double* low, double* middle, double* high,
                                  Index n) {
    constexpr std::int64_t kHalf = 1 << 19, kMask = 2 * kHalf - 1;
    ISOSHARD_INDEPENDENT_LOOP
    for (Index i = 0; i < n; ++i) {
      const auto residue = static_cast<std::int64_t>(x[i]);
      const std::int64_t first = (residue > p / 2 ? residue - p : residue) + kHalf;
      const std::int64_t second = (first >> 20) + kHalf;
      low[i] = static_cast<std::int32_t>((first & kMask) - kHalf);
      middle[i] = static_cast<std::int32_t>((second & kMask) - kHalf);
      high[i] = static_cast<std::int32_t>(second >> 20);
    }
  }
};

/// How many rows, columns and steps of k a block has, and how many limbs.
struct BlockOfLimbs {
  Index rows, columns, depth, a_limbs, b_limbs;
};

/// The loops over blocks; Limbs says how a row becomes limbs and how sums become residues.
template <typename Limbs, typename Word>
void multiply_limbs(Isa isa, const ResidueMatrices<Word>& p) {
  thread_local Panel<double> left_panel, right_panel, sums_panel;
  constexpr BlockOfLimbs kBlock = Limbs::kBlock;
  const Limbs limbs(isa, p.modulus);
  double* const left = left_panel.reserve(kBlock.a_limbs * kBlock.rows * kBlock.depth);
  double* const right = right_panel.reserve(kBlock.b_limbs * kBlock.columns * kBlock.depth);
  double* const sums = sums_panel.reserve(kBlock.a_limbs * kBlock.rows * kBlock.b_limbs * kBlock.columns);
  for (Index i = 0; i < p.m; ++i) std::fill_n(p.c + i * p.ldc, p.n, Word(0));
  for (Index j = 0; j < p.n; j += kBlock.columns) {
    const Index columns = std::min(kBlock.columns, p.n - j);
    for (Index q = 0; q < p.k; q += kBlock.depth) {
      const Index depth = std::min(kBlock.depth, p.k - q);
      const Word* b = p.b.data + (p.b.turned ? j * p.b.ld + q : q * p.b.ld + j);
      const GemmOperand<double> limbs_of_b = limbs.of_b({b, p.b.ld, p.b.turned}, depth, columns, right);
      for (Index i = 0; i < p.m; i += kBlock.rows) {
        const Index rows = std::min(kBlock.rows, p.m - i);
        const Word* a = p.a.data + (p.a.turned ? q * p.a.ld + i : i * p.a.ld + q);
        const GemmOperand<double> limbs_of_a = limbs.of_a({a, p.a.ld, p.a.turned}, rows, depth, left);
        const Index width = kBlock.b_limbs * columns;
        gemm(isa, kBlock.a_limbs * rows, width, depth, limbs_of_a, limbs_of_b, sums, width);
        for (Index r = 0; r < rows; ++r) {
          limbs.join(sums + r * width, rows * width, columns, p.c + (i + r) * p.ldc + j);
        }
      }
    }
  }
}

/// Below 2^31: A is whole, B has two limbs.
class TwoLimbs {
 public:
  static constexpr BlockOfLimbs kBlock{56, 256, 256, 1, 2};

  TwoLimbs(Isa isa, std::uint64_t p)
      : isa_(isa),
        p_(static_cast<std::int32_t>(p)),
        float_p_(static_cast<double>(p)),
        inverse_(1 / static_cast<double>(p)) {}

  GemmOperand<double> of_a(GemmOperand<Residue> a, Index rows, Index depth, double* out) const {
    const Index lines = a.turned ? depth : rows, length = a.turned ? rows : depth;
    for (Index i = 0; i < lines; ++i) dispatch<CenterRow>(isa_, p_, a.data + i * a.ld, out + i * length, length);
    return {out, length, a.turned};
  }
  /// [high, low], or below each other where B is turned.
  GemmOperand<double> of_b(GemmOperand<Residue> b, Index depth, Index columns, double* out) const {
    const Index lines = b.turned ? columns : depth, length = b.turned ? depth : columns;
    const Index row = b.turned ? length : 2 * length, to_low = b.turned ? lines * length : length;
    for (Index i = 0; i < lines; ++i) {
      dispatch<SplitRow>(isa_, p_, b.data + i * b.ld, out + i * row, out + i * row + to_low, length);
    }
    return {out, row, b.turned};
  }
  void join(const double* sums, Index, Index columns, Residue* c) const {
    dispatch<JoinRow>(isa_, float_p_, inverse_, sums, sums + columns, c, columns);
  }

 private:
  Isa isa_;
  std::int32_t p_;
  double float_p_, inverse_;
};

/// Below 2^61: three limbs each.
class ThreeLimbs {
 public:
  static constexpr BlockOfLimbs kBlock{18, 64, 1024, 3, 3};

  ThreeLimbs(Isa isa, std::uint64_t p)
      : isa_(isa), p_(static_cast<std::int64_t>(p)), power60_((std::uint64_t{1} << 60) % p) {}

  GemmOperand<double> of_a(GemmOperand<std::uint64_t> a, Index rows, Index depth, double* out) const {
    return limbs(a, a.turned ? depth : rows, a.turned ? rows : depth, a.turned, out);
  }
  GemmOperand<double> of_b(GemmOperand<std::uint64_t> b, Index depth, Index columns, double* out) const {
    return limbs(b, b.turned ? columns : depth, b.turned ? depth : columns, !b.turned, out);
  }
  /// The sums of limb x of A and limb y of B lie at x · from_limb + y · columns.
  void join(const double* sums, Index from_limb, Index columns, std::uint64_t* c) const {
    for (Index j = 0; j < columns; ++j) {
      const auto at = [&](Index x, Index y) {
        return static_cast<std::int64_t>(sums[x * from_limb + y * columns + j]);
      };
      const std::int64_t s1 = at(0, 1) + at(1, 0), s2 = at(0, 2) + at(1, 1) + at(2, 0), s3 = at(1, 2) + at(2, 1);
      const std::uint64_t high = residue(scaled(at(2, 2), 20) + s3);
      const SignedWide low = scaled(s2, 40) + scaled(s1, 20) + at(0, 0);
      c[j] = residue(static_cast<SignedWide>(high) * static_cast<SignedWide>(power60_) + low +
                     static_cast<SignedWide>(c[j]));
    }
  }

 private:
  static SignedWide scaled(std::int64_t x, int bits) { return static_cast<SignedWide>(x) * (SignedWide{1} << bits); }

  std::uint64_t residue(SignedWide x) const {
    const auto rest = static_cast<std::int64_t>(x % p_);
    return static_cast<std::uint64_t>(rest < 0 ? rest + p_ : rest);
  }

  /// The limbs of `lines` rows of `length`, the lowest first: side by side, or below each other.
  GemmOperand<double> limbs(GemmOperand<std::uint64_t> x, Index lines, Index length, bool side_by_side,
                            double* out) const {
    const Index row = side_by_side ? 3 * length : length, limb = side_by_side ? length : lines * length;
    for (Index i = 0; i < lines; ++i) {
      double* const to = out + i * row;
      dispatch<SplitWideRow>(isa_, p_, x.data + i * x.ld, to, to + limb, to + 2 * limb, length);
    }
    return {out, row, x.turned};
  }

  Isa isa_;
  std::int64_t p_;
  std::uint64_t power60_;
};

}  // namespace

void multiply_by_floats(Isa isa, const ResidueMatrices<Residue>& p) { multiply_limbs<TwoLimbs>(isa, p); }
void multiply_wide_by_floats(Isa isa, const ResidueMatrices<std::uint64_t>& p) { multiply_limbs<ThreeLimbs>(isa, p); }

}  // namespace isoshard::sim::detail
