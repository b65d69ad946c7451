// A dense layer over several dimensions at once (flax.linen.DenseGeneral): the last ones of x are contracted with the
// first ones of the kernel. The kernel begins as the matrix of the same rows and columns would, so that its numbers
// agree with Flax's. A device that holds a block of it draws the matrix and cuts its block out, since such a block is
// none of the matrix. Cost: one product.
#include "parallel/layers/dense_general.h"

#include <numeric>
#include <utility>

namespace isoshard {
namespace {

/// An array of that rank begins as a matrix does whose rows are its first `rows` dimensions. A block of it is cut from
/// the whole, in whose rows and columns it is no block.
Initializer as_matrix(Initializer initializer, int64_t rows) {
  std::string name = initializer.name;
  return {std::move(name), [inner = std::move(initializer), rows](ModelBuilder& m, ValueId key, const Draw& draw) {
            const Shape& whole = draw.whole();
            const auto cut = whole.begin() + static_cast<std::ptrdiff_t>(rows);
            const Shape matrix{element_count(Shape(whole.begin(), cut)), element_count(Shape(cut, whole.end()))};
            const ValueId x = m.op(Reshape{whole}, {inner(m, key, Draw{matrix, {}, {}, draw.layout})});
            if (draw.start.empty()) return x;
            std::vector<ValueId> operands{x};
            operands.insert(operands.end(), draw.start.begin(), draw.start.end());
            return m.op(DynamicSlice{draw.shape}, std::move(operands));
          }};
}

std::vector<int64_t> numbers(int64_t from, int64_t count) {
  std::vector<int64_t> result(static_cast<size_t>(count));
  std::iota(result.begin(), result.end(), from);
  return result;
}

}  // namespace

ValueId dense_general(Scope& self, const DenseGeneral& layer, ValueId x, const std::string& name,
                      const Location& location) {
  ModelBuilder& m = self.m();
  if (!x.valid()) return {};
  const int64_t rank = std::ssize(m.shape(x)), kept = rank - layer.contracted;
  if (layer.contracted < 1 || kept < 0) {
    return m.error("C-dense",
                   "dense_general: x has " + std::to_string(rank) + " dimensions, and the last " +
                       std::to_string(layer.contracted) + " are contracted; expected at least 1 and as many in x",
                   location);
  }
  Shape shape(m.shape(x).begin() + static_cast<std::ptrdiff_t>(kept), m.shape(x).end());
  shape.insert(shape.end(), layer.features.begin(), layer.features.end());
  const ValueId kernel = self.param("kernel", as_matrix(layer.kernel_init, layer.contracted), shape);
  const DimPairs pairs{numbers(kept, layer.contracted), numbers(0, layer.contracted)};
  const ValueId y = m.op(DotGeneral{pairs, m.typed() ? self.terms().set() : AxisSet()}, {x, kernel},
                         layer.use_bias ? "" : name, location);
  if (!layer.use_bias) return y;
  const ValueId bias =
      as_state(m, self.param("bias", zeros_initializer(), layer.features), self.terms(), State::partial, location);
  return m.add(y, m.broadcast_like(bias, numbers(kept, std::ssize(layer.features)), y, "", location), name, location);
}

}  // namespace isoshard
