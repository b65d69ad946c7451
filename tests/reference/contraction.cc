// Ops over whole dimensions: dot_general, convolution, reduce, cumsum, top_k.

#include <algorithm>
#include <numeric>
#include <utility>

#include "tests/reference/local_ops.h"

namespace isoshard::reference {
namespace {

template <class T>
struct Contraction : LocalOp<T> {
  using typename LocalOp<T>::A;
  using typename LocalOp<T>::E;
  using LocalOp<T>::in;
  using LocalOp<T>::floats;
  using LocalOp<T>::dtype;
  using LocalOp<T>::make;
  using LocalOp<T>::less;
  using LocalOp<T>::plus;
  using LocalOp<T>::times;
  using LocalOp<T>::results;

  std::vector<A> apply(const DotGeneral& op) const {
    std::vector<int64_t> free[2];
    const std::vector<int64_t>* used[2][2] = {{&op.batch.lhs, &op.contract.lhs}, {&op.batch.rhs, &op.contract.rhs}};
    for (size_t n = 0; n < 2; ++n) {
      for (int64_t d = 0; d < static_cast<int64_t>(in(n).type.shape.size()); ++d) {
        const auto has = [d](const std::vector<int64_t>& dims) { return std::count(dims.begin(), dims.end(), d) != 0; };
        if (!has(*used[n][0]) && !has(*used[n][1])) free[n].push_back(d);
      }
    }
    Shape terms;
    for (const int64_t d : op.contract.lhs) terms.push_back(in(0).type.shape[u(d)]);
    return make([&](const Index& index) {
      Index at[2] = {Index(in(0).type.shape.size()), Index(in(1).type.shape.size())};
      size_t next = 0;
      for (size_t k = 0; k < op.batch.lhs.size(); ++k, ++next) {
        at[0][u(op.batch.lhs[k])] = at[1][u(op.batch.rhs[k])] = index[next];
      }
      for (size_t n = 0; n < 2; ++n) {
        for (const int64_t d : free[n]) at[n][u(d)] = index[next++];
      }
      E sum;
      for_each_index(terms, [&](const Index& k) {
        for (size_t d = 0; d < k.size(); ++d) at[0][u(op.contract.lhs[d])] = at[1][u(op.contract.rhs[d])] = k[d];
        sum = plus(sum, times(in(0).at(at[0]), in(1).at(at[1]), dtype()), dtype());
      });
      return sum;
    });
  }

  /// Element `at` of the input, as the specification pads and spreads it: `at` counts along spatial dimensions in the
  /// padded input.
  E padded(const Convolution& op, Index at) const {
    for (size_t i = 0; i < op.dims.input.spatial.size(); ++i) {
      int64_t& place = at[u(op.dims.input.spatial[i])];
      const int64_t gap = op.lhs_dilation.empty() ? 1 : op.lhs_dilation[i];
      place -= op.low.empty() ? 0 : op.low[i];
      if (place < 0 || place % gap != 0 || place / gap >= in(0).type.shape[u(op.dims.input.spatial[i])]) return E{};
      place /= gap;
    }
    return in(0).at(at);
  }
  /// Groups as the specification has them: the operands are split, the results put together along their features.
  std::vector<A> apply(const Convolution& op) const {
    const ImageDims &input = op.dims.input, &output = op.dims.output;
    const KernelDims& kernel = op.dims.kernel;
    const Shape &x = in(0).type.shape, &w = in(1).type.shape;
    const int64_t features = w[u(kernel.input)], batch = x[u(input.batch)] / op.batch_groups.value_or(1);
    const int64_t group_size = w[u(kernel.output)] / (op.feature_groups.value_or(1) * op.batch_groups.value_or(1));
    Shape window;
    for (const int64_t d : kernel.spatial) window.push_back(w[u(d)]);
    return make([&](const Index& index) {
      const int64_t group = index[u(output.feature)] / group_size;
      Index from(x.size()), with(w.size());
      from[u(input.batch)] = index[u(output.batch)] + (op.batch_groups ? group * batch : 0);
      with[u(kernel.output)] = index[u(output.feature)];
      E sum;
      for_each_index(window, [&](const Index& k) {
        for (size_t i = 0; i < k.size(); ++i) {
          const bool reversed = !op.reversal.empty() && op.reversal[i] != 0;
          from[u(input.spatial[i])] =
              index[u(output.spatial[i])] * (op.strides.empty() ? 1 : op.strides[i]) +
              (reversed ? window[i] - 1 - k[i] : k[i]) * (op.rhs_dilation.empty() ? 1 : op.rhs_dilation[i]);
          with[u(kernel.spatial[i])] = k[i];
        }
        for (int64_t f = 0; f < features; ++f) {
          from[u(input.feature)] = f + (op.feature_groups ? group * features : 0);
          with[u(kernel.input)] = f;
          sum = plus(sum, times(padded(op, from), in(1).at(with), dtype()), dtype());
        }
      });
      return sum;
    });
  }

  /// What a reduction starts from: 0, or the least or greatest value there is.
  E start_of(Reducer op) const {
    if (op == Reducer::add || op == Reducer::logical_or) return E{};
    if (op == Reducer::mul) return floats() ? E{T(1), 0} : E{T(), 1};
    if (op == Reducer::logical_and) return E{T(), dtype() == DType::pred ? 1 : wrapped(Wide{-1}, dtype())};
    const bool least = op != Reducer::min;
    if (!floats()) return E{T(), wrapped(least ? least_of(dtype()) : greatest_of(dtype()), dtype())};
    return E{infinity<T>(least), 0};
  }
  std::vector<A> apply(const Reduce& op) const {
    Shape reduced;
    for (const int64_t d : op.dims) reduced.push_back(in(0).type.shape[u(d)]);
    std::vector<A> values = {A{results[0], {}}};
    if (op.op == Reducer::argmax) values.push_back(A{results[1], {}});
    for_each_index(results[0].shape, [&](const Index& kept) {
      bool first = true;
      E total;
      int64_t best = 0, count = 0;
      for_each_index(reduced, [&](const Index& k) {
        Index at;
        size_t next = 0;
        for (int64_t d = 0; d < static_cast<int64_t>(in(0).type.shape.size()); ++d) {
          const auto it = std::find(op.dims.begin(), op.dims.end(), d);
          at.push_back(it == op.dims.end() ? kept[next++] : k[u(it - op.dims.begin())]);
        }
        const E& e = in(0).at(at);
        const auto beyond = [&] { return op.op == Reducer::min ? less(e, total, dtype()) : less(total, e, dtype()); };
        if (first) {
          total = e;
        } else if (op.op == Reducer::add) {
          total = plus(total, e, dtype());
        } else if (op.op == Reducer::mul) {
          total = times(total, e, dtype());
        } else if (op.op == Reducer::logical_and) {
          total.i &= e.i;
        } else if (op.op == Reducer::logical_or) {
          total.i |= e.i;
        } else if (!is_nan(total.x) && (is_nan(e.x) || beyond())) {
          total = e;
          best = count;
        }
        first = false;
        ++count;
      });
      values[0].elements.push_back(first ? start_of(op.op) : total);
      if (values.size() == 2) values[1].elements.push_back(E{T(), best});
    });
    return values;
  }
  std::vector<A> apply(const Cumsum& op) const {
    return make([&](Index index) {
      E sum;
      for (const int64_t last = std::exchange(index[u(op.dim)], 0); index[u(op.dim)] <= last; ++index[u(op.dim)]) {
        sum = plus(sum, in(0).at(index), dtype());
      }
      return sum;
    });
  }
  std::vector<A> apply(const TopK&) const {
    std::vector<A> values = {A{results[0], {}}, A{results[1], {}}};
    for_each_index(results[0].shape, [&](Index index) {
      const int64_t rank = index.back();
      std::vector<int64_t> order(u(in(0).type.shape.back()));
      std::iota(order.begin(), order.end(), 0);
      const auto element = [&](int64_t i) {
        index.back() = i;
        return in(0).at(index);
      };
      std::stable_sort(order.begin(), order.end(),
                       [&](int64_t a, int64_t b) { return less(element(b), element(a), dtype()); });
      values[0].elements.push_back(element(order[u(rank)]));
      values[1].elements.push_back(E{T(), order[u(rank)]});
    });
    return values;
  }
};

}  // namespace

template <class T>
Results<T> contraction(const OpData& op, const LocalOp<T>& local) {
  return apply_if_known(op, Contraction<T>{local});
}
template Results<double> contraction(const OpData&, const LocalOp<double>&);
template Results<Rounded> contraction(const OpData&, const LocalOp<Rounded>&);
template Results<Formal> contraction(const OpData&, const LocalOp<Formal>&);
template Results<Quad> contraction(const OpData&, const LocalOp<Quad>&);
template Results<mpq_class> contraction(const OpData&, const LocalOp<mpq_class>&);

}  // namespace isoshard::reference
