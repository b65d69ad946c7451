// Dropout (Srivastava et al. 2014): a coin per element by a key, and what is kept is divided by its probability,
// rounded to f32 as JAX does. There are two ways to draw: as Flax does, for the x that a device has, where the mask
// depends on the mesh; or by the coordinates of an element in the whole array, where it does not, so that `check` can
// compare meshes (docs/spec/random.md, "Blocks"). Rates of 0 and 1 draw nothing.
#include "parallel/layers/dropout.h"

#include <algorithm>
#include <utility>

#include "core/support/check.h"

namespace isoshard {
namespace {

std::string shown_rate(double rate) {
  std::string text = std::to_string(rate);
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text + "0" : text;
}

bool good_rate(ModelBuilder& m, double rate, const Location& location) {
  if (rate >= 0 && rate <= 1) return true;
  m.error("C-rate", "dropout: the rate is " + shown_rate(rate) + "; expected a number from 0 to 1", location);
  return false;
}

/// x where `key` keeps it, divided by 1 - rate in f32 as JAX does; 0 < rate < 1.
ValueId masked(ModelBuilder& m, ValueId key, double rate, ValueId x, const Draw& draw, const std::string& name,
               const Location& location) {
  const auto keep = static_cast<float>(1 - rate);
  const ValueId kept = bernoulli(m, key, draw, keep, "", location);
  const Rational divisor = Rational::from_double(static_cast<double>(keep));
  const ValueId scaled = m.with_constant(Divide{}, x, divisor, "", location);
  return m.op(Select{}, {kept, scaled, m.constant_like(x, Rational(0), "", location)}, name, location);
}

}  // namespace

ValueId dropout(Scope& self, double rate, ValueId x, const std::string& name, const Location& location) {
  ModelBuilder& m = self.m();
  if (!x.valid() || !good_rate(m, rate, location)) return {};
  if (rate == 0) return x;
  if (rate == 1) return m.constant_like(x, Rational(0), name, location);
  const ValueId key = self.make_key(kDropout);
  return key.valid() ? masked(m, key, rate, x, Draw{m.shape(x)}, name, location) : ValueId();
}

ValueId dropout_by_coordinates(ModelBuilder& m, ValueId key, double rate, ValueId x, const Draw& draw,
                               const std::string& name, const Location& location) {
  if (!x.valid() || !key.valid() || !good_rate(m, rate, location)) return {};
  ISOSHARD_CHECK(draw.shape == m.shape(x), "the block of x is drawn");
  if (rate == 0) return x;
  if (rate == 1) return m.constant_like(x, Rational(0), name, location);
  return masked(m, key, rate, x, draw, name, location);
}

Draw draw_block(ModelBuilder& m, const Shape& shape, const Layout& layout, const Location& location) {
  ISOSHARD_CHECK(shape.size() == layout.size(), "one entry per dimension");
  Draw draw{shape, shape};
  if (std::all_of(layout.begin(), layout.end(), [](const ViewEntry& entry) { return entry.axes.empty(); })) return draw;
  for (size_t i = 0; i < shape.size(); ++i) {
    const ViewEntry& entry = layout[i];
    ISOSHARD_CHECK(!entry.of && entry.offset == 0 && entry.split == Split::equal, "an equal split");
    if (entry.axes.empty()) {
      draw.start.push_back(m.op(Constant{Rational(0), DType::i32, {}}, {}, "", location));
      continue;
    }
    draw.global_shape[i] *= m.mesh().size(entry.axes);
    const ValueId index = m.op(AxisIndex{entry.axes}, {}, "", location);
    draw.start.push_back(m.with_constant(Multiply{}, index, Rational(shape[i]), "", location));
  }
  return draw;
}

}  // namespace isoshard
