// Sums whose order depends on the shape only: 16 interleaved partial sums and then a fixed tree, the same on every
// instruction set, so that bits do not depend on the machine or on how many threads run. Interleaving makes the sum as
// fast as the memory and its error grow with n/16. Dimensions are merged to runs that are kept or reduced (ReducePlan);
// where the innermost one is kept, the same partials are made for a row of outputs at a time. The variant with error
// bounds counts the additions of a partial and of the tree. One pass over the input.
#include "sim/kernels/reduce.h"

#include <algorithm>

#include "core/ir/scalar/format.h"
#include "sim/kernels/dispatch.h"
#include "sim/kernels/mod31.h"
#include "sim/kernels/rounding.h"

namespace isoshard::sim {
namespace {

using Axes = std::span<const ReducePlan::Axis>;

constexpr Index kPartials = kReducePartials;

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

/// Adds one element to partial `p` of each of `width` outputs.
template <typename Domain>
struct AddAcross {
  ISOSHARD_SCALAR static void run(const typename Domain::Element* x, Index width, typename Domain::Sum* partial) {
    for (Index j = 0; j < width; ++j) partial[j] += Domain::term(x[j]);
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

/// The fixed tree: partial i takes up partial i + w for w = 8, 4, 2, 1. Partials from `used` on are +0 and left out.
template <typename Domain>
void join(const Domain& domain, typename Domain::Sum* sums, Index used, Index width, typename Domain::Element* y) {
  for (Index w = kPartials / 2; w >= 1; w /= 2) {
    for (Index p = 0; p < w && p + w < used; ++p) {
      for (Index j = 0; j < width; ++j) sums[p * width + j] += sums[(p + w) * width + j];
    }
    used = std::min(used, w);
  }
  for (Index j = 0; j < width; ++j) y[j] = domain.result(sums[j]);
}

/// One output whose elements lie in runs of neighbours, a run starting at any partial.
template <typename Domain>
void reduce_along(Isa isa, const Domain& domain, const ReducePlan& plan, const typename Domain::Element* x,
                  typename Domain::Element* y) {
  using Sum = typename Domain::Sum;
  const Axes reduced(plan.reduced());
  const Index run = reduced.back().size;
  for_each_offset(plan.kept(), [&](Index base) {
    Sum sums[kPartials] = {};
    Index done = 0;
    for_each_offset(reduced.first(reduced.size() - 1), [&](Index offset) {
      const auto* begin = x + base + offset;
      const Index head = std::min(run, (kPartials - done % kPartials) % kPartials);
      for (Index i = 0; i < head; ++i) sums[(done + i) % kPartials] += Domain::term(begin[i]);
      dispatch<AddAlong<Domain>>(isa, begin + head, run - head, static_cast<Sum*>(sums));
      done += run;
    });
    join(domain, sums, std::min(kPartials, done), 1, y++);
  });
}

/// Neighbouring outputs together: the innermost dimension is kept.
template <typename Domain>
void reduce_across(Isa isa, const Domain& domain, const ReducePlan& plan, const typename Domain::Element* x,
                   typename Domain::Element* y) {
  using Sum = typename Domain::Sum;
  constexpr Index kWidth = 128;
  Sum sums[kPartials * kWidth];
  const Axes kept(plan.kept());
  const Index length = kept.back().size;
  for_each_offset(kept.first(kept.size() - 1), [&](Index base) {
    for (Index j = 0; j < length; j += kWidth) {
      const Index width = std::min(kWidth, length - j);
      const Index used = std::min(kPartials, plan.count());
      std::fill_n(sums, used * width, Sum(0));
      Index next = 0;
      for_each_offset(plan.reduced(), [&](Index offset) {
        dispatch<AddAcross<Domain>>(isa, x + base + offset + j, width, sums + (next % kPartials) * width);
        ++next;
      });
      join(domain, sums, used, width, y + j);
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
  } else if (plan.innermost_reduced()) {
    reduce_along(isa, domain, plan, x, y);
  } else {
    reduce_across(isa, domain, plan, x, y);
  }
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
  // An element goes through the adds of its partial, the first of which is exact, and of the tree.
  const Index along = (plan.count() + kPartials - 1) / kPartials - 1;
  const double depth = static_cast<double>(std::max(Index{0}, std::min(plan.count() - 1, along + 4)));
  const double gamma = depth * kUnit / (1 - depth * kUnit);
  const double raise = 1 + (2 * depth + 8) * kUnit * 2;
  for (std::size_t j = 0; j < size.size(); ++j) {
    const double error = (y_error[j] + gamma * size[j]) * raise;
    y_error[j] = scalar::magnitude(y[j]) < kInfinity && error < kInfinity ? error : kInfinity;
  }
}

}  // namespace isoshard::sim
