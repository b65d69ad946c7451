// Sums whose order depends on the shape only: chunks of 512 terms, in each 16 interleaved partial sums and then a fixed
// tree, and the sums of chunks in the same way; the same on every instruction set, so that bits do not depend on the
// machine or on how many threads run. Interleaving makes a sum as fast as the memory, chunks let a GPU share one among
// many threads (docs/adr/0066-sums-in-chunks.md), and the error grows with 38 + n/8192. Dimensions are merged to runs
// that are kept or reduced (ReducePlan); where the innermost one is kept, the same partials are made for a row of
// outputs at a time. The variant with error bounds counts the additions of partials and trees. One pass over the input.
#include "sim/kernels/reduce.h"

#include <algorithm>

#include "core/ir/scalar/format.h"
#include "sim/kernels/dispatch.h"
#include "sim/kernels/mod31.h"
#include "sim/kernels/panel.h"
#include "sim/kernels/rounding.h"

namespace isoshard::sim {
namespace {

using Axes = std::span<const ReducePlan::Axis>;

constexpr Index kPartials = kReducePartials, kChunk = kReduceChunk;

/// Calls visit(offset) for every position of `axes`, row-major; no axes are one position.
template <typename Visit>
void for_each_offset(Axes axes, const Visit& visit, Index offset = 0) {
  if (axes.empty()) return visit(offset);
  for (Index i = 0; i < axes[0].size; ++i) for_each_offset(axes.subspan(1), visit, offset + i * axes[0].stride);
}

/// How a domain adds: the type of its partial sums, what an element becomes, how a sum ends.
template <typename T>
struct Plain {
  using Element = T;
  using Sum = T;
  ISOSHARD_SCALAR static T term(T x) { return x; }
  T result(T sum) const { return scalar::canonical(sum); }
};
struct Magnitude : Plain<double> {
  ISOSHARD_SCALAR static double term(double x) { return scalar::magnitude(x); }
};
struct Residues {
  const Mod31& modulus;
  using Element = Residue;
  using Sum = std::uint64_t;  // exact for fewer than 2^33 terms
  ISOSHARD_SCALAR static Sum term(Element x) { return x; }
  Element result(Sum sum) const { return modulus.reduce(sum); }
};

// Partial sums of `width` neighbouring outputs: partial p of output j is sums[p · width + j].

/// Adds rows of `width` elements, `stride` from one to the next, one to each output; the first row to partial `first`.
/// A tile of one partial takes all its rows while it is in registers, so that only elements are read.
template <typename Domain>
struct AddAcross {
  using Element = typename Domain::Element;
  using Sum = typename Domain::Sum;
  static constexpr Index kTile = Index{512} / static_cast<Index>(sizeof(Sum));

  ISOSHARD_SCALAR static void run(const Element* x, Index stride, Index rows, Index width, Index first, Sum* sums) {
    const Index tiled = width / kTile * kTile;
    for (Index j = 0; j < tiled; j += kTile) {
      for (Index p = 0; p < std::min(kPartials, rows); ++p) {
        Sum* const partial = sums + (first + p) % kPartials * width + j;
        Sum tile[static_cast<size_t>(kTile)];
        for (Index k = 0; k < kTile; ++k) tile[k] = partial[k];
        for (Index r = p; r < rows; r += kPartials) {
          const Element* const row = x + r * stride + j;
          for (Index k = 0; k < kTile; ++k) tile[k] += Domain::term(row[k]);
        }
        for (Index k = 0; k < kTile; ++k) partial[k] = tile[k];
      }
    }
    for (Index r = 0; r < rows && tiled < width; ++r, x += stride) {
      Sum* const partial = sums + (first + r) % kPartials * width;
      for (Index j = tiled; j < width; ++j) partial[j] += Domain::term(x[j]);
    }
  }
};

/// Adds n neighbouring elements to the partial sums of one output; the first belongs to partial 0.
template <typename Domain>
struct AddAlong {
  ISOSHARD_SCALAR static void run(const typename Domain::Element* x, Index n, typename Domain::Sum* sums) {
    typename Domain::Sum local[kPartials];
    for (Index p = 0; p < kPartials; ++p) local[p] = sums[p];
    Index i = 0;
    for (; i + kPartials <= n; i += kPartials) {
      for (Index p = 0; p < kPartials; ++p) local[p] += Domain::term(x[i + p]);
    }
    for (Index p = 0; p < n - i; ++p) local[p] += Domain::term(x[i + p]);
    for (Index p = 0; p < kPartials; ++p) sums[p] = local[p];
  }
};

/// The fixed tree: partial i takes up partial i + w for w = 8, 4, 2, 1, and partial 0 is the result. Partials from
/// `used` on are +0 and left out.
template <typename Sum>
void join(Sum* sums, Index used, Index width) {
  for (Index w = kPartials / 2; w >= 1; w /= 2) {
    for (Index p = 0; p < w && p + w < used; ++p) {
      for (Index j = 0; j < width; ++j) sums[p * width + j] += sums[(p + w) * width + j];
    }
    used = std::min(used, w);
  }
}

/// The same of one output and all partials.
template <typename Sum>
ISOSHARD_SCALAR Sum joined(const Sum* sums) {
  Sum eight[8], four[4];
  for (Index p = 0; p < 8; ++p) eight[p] = sums[p] + sums[p + 8];
  for (Index p = 0; p < 4; ++p) four[p] = eight[p] + eight[p + 4];
  return (four[0] + four[2]) + (four[1] + four[3]);
}

/// The sums of neighbouring whole chunks.
template <typename Domain>
struct SumChunks {
  using Sum = typename Domain::Sum;

  ISOSHARD_SCALAR static void run(const typename Domain::Element* x, Index chunks, Sum* of_chunks) {
    for (Index c = 0; c < chunks; ++c, x += kChunk) {
      Sum local[kPartials];
      for (Index p = 0; p < kPartials; ++p) local[p] = 0;
      for (Index i = 0; i < kChunk; i += kPartials) {
        for (Index p = 0; p < kPartials; ++p) local[p] += Domain::term(x[i + p]);
      }
      of_chunks[c] = joined(local);
    }
  }
};

/// The sums of rows of at most a chunk, `stride` from one to the next. Elements past the end count as +0, which changes
/// no partial sum: none is -0, since all start at +0.
template <typename Domain>
struct SumRows {
  using Element = typename Domain::Element;
  using Sum = typename Domain::Sum;

  ISOSHARD_SCALAR static void run(const Element* x, Index stride, Index rows, Index length, Sum* sums) {
    const Index whole = length / kPartials * kPartials, rest = length - whole;
    for (Index r = 0; r < rows; ++r, x += stride) {
      Sum local[kPartials];
      for (Index p = 0; p < kPartials; ++p) local[p] = 0;
      for (Index i = 0; i < whole; i += kPartials) {
        for (Index p = 0; p < kPartials; ++p) local[p] += Domain::term(x[i + p]);
      }
      if (rest != 0) {
        Element last[kPartials] = {};
        for (Index p = 0; p < rest; ++p) last[p] = x[whole + p];
        for (Index p = 0; p < kPartials; ++p) local[p] += Domain::term(last[p]);
      }
      sums[r] = joined(local);
    }
  }
};

/// Adds neighbouring elements to the partial sums of one output; the first belongs to this partial.
template <typename Domain>
void add_run(Isa isa, const typename Domain::Element* x, Index n, Index first, typename Domain::Sum* sums) {
  const Index head = std::min(n, (kPartials - first) % kPartials);
  for (Index i = 0; i < head; ++i) sums[first + i] += Domain::term(x[i]);
  dispatch<AddAlong<Domain>>(isa, x + head, n - head, sums);
}

/// The sum of one output of more than a chunk, whose elements come in runs of neighbours.
template <typename Domain>
class SumOfChunks {
 public:
  using Element = typename Domain::Element;
  using Sum = typename Domain::Sum;

  explicit SumOfChunks(Isa isa) : isa_(isa) {}

  void add(const Element* x, Index n) {
    while (n > 0) {
      const Index whole = taken_ == 0 ? std::min(kPartials, n / kChunk) : 0;
      const Index now = whole != 0 ? whole * kChunk : std::min(n, kChunk - taken_);
      if (whole != 0) {
        Sum chunks[kPartials];
        dispatch<SumChunks<Domain>>(isa_, x, whole, static_cast<Sum*>(chunks));
        for (Index c = 0; c < whole; ++c) of_chunks_[chunks_++ % kPartials] += chunks[c];
      } else {
        add_run<Domain>(isa_, x, now, taken_ % kPartials, of_terms_);
        taken_ += now;
        if (taken_ == kChunk) end_chunk();
      }
      x += now, n -= now;
    }
  }
  Sum finish() {
    if (taken_ != 0) end_chunk();
    return joined(of_chunks_);
  }

 private:
  void end_chunk() {
    of_chunks_[chunks_++ % kPartials] += joined(of_terms_);
    std::fill_n(of_terms_, kPartials, Sum(0));
    taken_ = 0;
  }

  Isa isa_;
  Sum of_terms_[kPartials] = {}, of_chunks_[kPartials] = {};
  Index taken_ = 0, chunks_ = 0;
};

/// Outputs of at most a chunk of neighbours each.
template <typename Domain>
void reduce_rows(Isa isa, const Domain& domain, const ReducePlan& plan, const typename Domain::Element* x,
                 typename Domain::Element* y) {
  using Sum = typename Domain::Sum;
  constexpr Index kRows = 64;
  Sum sums[kRows];
  const Axes kept(plan.kept());
  const Index length = plan.count(), rows = kept.back().size, stride = kept.back().stride;
  for_each_offset(kept.first(kept.size() - 1), [&](Index base) {
    for (Index r = 0; r < rows; r += kRows) {
      const Index now = std::min(kRows, rows - r);
      dispatch<SumRows<Domain>>(isa, x + base + r * stride, stride, now, length, static_cast<Sum*>(sums));
      for (Index i = 0; i < now; ++i) *y++ = domain.result(sums[i]);
    }
  });
}

/// One output whose elements lie in runs of neighbours, a run starting at any partial.
template <typename Domain>
void reduce_along(Isa isa, const Domain& domain, const ReducePlan& plan, const typename Domain::Element* x,
                  typename Domain::Element* y) {
  using Sum = typename Domain::Sum;
  const Axes reduced(plan.reduced()), runs = reduced.first(reduced.size() - 1);
  const Index run = reduced.back().size;
  for_each_offset(plan.kept(), [&](Index base) {
    if (plan.count() > kChunk) {
      SumOfChunks<Domain> sum(isa);
      for_each_offset(runs, [&](Index offset) { sum.add(x + base + offset, run); });
      *y++ = domain.result(sum.finish());
      return;
    }
    Sum sums[kPartials] = {};
    Index done = 0;
    for_each_offset(runs, [&](Index offset) {
      add_run<Domain>(isa, x + base + offset, run, done % kPartials, sums);
      done += run;
    });
    join(static_cast<Sum*>(sums), std::min(kPartials, done), 1);
    *y++ = domain.result(sums[0]);
  });
}

/// Neighbouring outputs together: the innermost dimension is kept.
template <typename Domain>
void reduce_across(Isa isa, const Domain& domain, const ReducePlan& plan, const typename Domain::Element* x,
                   typename Domain::Element* y) {
  using Sum = typename Domain::Sum;
  constexpr Index kWidth = 4096;  // rows are read as they lie; their partials fit the second cache
  thread_local Panel<Sum> panel;
  const Axes kept(plan.kept()), reduced(plan.reduced());
  const Axes outer = reduced.first(reduced.empty() ? 0 : reduced.size() - 1);
  const ReducePlan::Axis rows = reduced.empty() ? ReducePlan::Axis{1, 0} : reduced.back();
  const Index length = kept.back().size, count = plan.count(), room = kPartials * std::min(kWidth, length);
  Sum* const sums = panel.reserve(2 * room);
  Sum* const of_chunks = sums + room;
  for_each_offset(kept.first(kept.size() - 1), [&](Index base) {
    for (Index j = 0; j < length; j += kWidth) {
      const Index width = std::min(kWidth, length - j);
      std::fill_n(sums, std::min(kPartials, count) * width, Sum(0));
      if (count > kChunk) std::fill_n(of_chunks, kPartials * width, Sum(0));
      Index next = 0, chunk = 0;
      const auto end_chunk = [&] {
        join(sums, next, width);
        Sum* const partial = of_chunks + chunk % kPartials * width;
        for (Index k = 0; k < width; ++k) partial[k] += sums[k];
        std::fill_n(sums, kPartials * width, Sum(0));
        next = 0, ++chunk;
      };
      for_each_offset(outer, [&](Index offset) {
        for (Index r = 0, now = 0; r < rows.size; r += now, next += now) {
          if (next == kChunk) end_chunk();
          now = std::min(rows.size - r, kChunk - next);
          dispatch<AddAcross<Domain>>(isa, x + base + offset + r * rows.stride + j, rows.stride, now, width,
                                      next % kPartials, sums);
        }
      });
      if (chunk != 0) end_chunk();
      Sum* const result = chunk != 0 ? of_chunks : sums;
      join(result, std::min(kPartials, chunk != 0 ? chunk : count), width);
      for (Index k = 0; k < width; ++k) y[j + k] = domain.result(result[k]);
    }
    y += length;
  });
}

template <typename Domain>
void reduce(Isa isa, const Domain& domain, const ReducePlan& plan, const typename Domain::Element* x,
            typename Domain::Element* y) {
  using Sum = typename Domain::Sum;
  if (plan.output_size() == 0) return;
  if (plan.count() == 0) {
    std::fill_n(y, plan.output_size(), typename Domain::Element(0));
  } else if (plan.input_size() == 1) {
    *y = domain.result(Sum(0) + Domain::term(*x));
  } else if (plan.innermost_reduced() && plan.reduced().size() == 1 && plan.count() <= kChunk && !plan.kept().empty()) {
    reduce_rows(isa, domain, plan, x, y);
  } else if (plan.innermost_reduced()) {
    reduce_along(isa, domain, plan, x, y);
  } else {
    reduce_across(isa, domain, plan, x, y);
  }
}

/// Most roundings that an element goes through: in its partial, the first addition of which is exact, and in the tree,
/// and in those of chunks.
Index additions(Index count) {
  const auto in_partials = [](Index n) {
    return std::max(Index{0}, std::min(n - 1, (n + kPartials - 1) / kPartials - 1 + 4));
  };
  return in_partials(std::min(count, kChunk)) + in_partials((count + kChunk - 1) / kChunk);
}

}  // namespace

void reduce_sum(Isa isa, const ReducePlan& plan, const float* x, float* y) { reduce(isa, Plain<float>{}, plan, x, y); }
void reduce_sum(Isa isa, const ReducePlan& plan, const double* x, double* y) {
  reduce(isa, Plain<double>{}, plan, x, y);
}

void reduce_sum_mod31(Isa isa, const Mod31& modulus, const ReducePlan& plan, const std::uint32_t* x, std::uint32_t* y) {
  reduce(isa, Residues{modulus}, plan, x, y);
}

void reduce_sum_bound(Isa isa, const ReducePlan& plan, const double* x, const double* x_error, double* y,
                      double* y_error) {
  reduce_sum(isa, plan, x, y);
  reduce_sum(isa, plan, x_error, y_error);
  std::vector<double> size(static_cast<std::size_t>(plan.output_size()));
  reduce(isa, Magnitude{}, plan, x, size.data());
  const double depth = static_cast<double>(additions(plan.count()));
  const double gamma = depth * kUnit / (1 - depth * kUnit);
  const double raise = 1 + (2 * depth + 8) * kUnit * 2;
  for (std::size_t j = 0; j < size.size(); ++j) {
    const double error = (y_error[j] + gamma * size[j]) * raise;
    y_error[j] = scalar::magnitude(y[j]) < kInfinity && error < kInfinity ? error : kInfinity;
  }
}

}  // namespace isoshard::sim
