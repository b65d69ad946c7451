// Lowers a convolution to ops that Plans have (docs/spec/plan.md, "Convolutions"): gaps and padding as pads, windows as
// slices put together, one spatial dimension after another, then one dot_general over the window and the input features
// with the groups as batch dimension, whose result is brought into the layout of the output. So all that is known of
// movements and products, in rings, bounds and diagnoses, holds for convolutions and is written once
// (docs/adr/0044-convolution.md). Steps that do nothing are left out: a 1x1 convolution is a dot_general. Cost:
// instructions as many as the kernel's sizes, or the numbers of windows, added up; values of the size of all windows,
// which sim holds and a real kernel need not.
#include "core/plan/passes/lower_convolution.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace isoshard {
namespace {

/// One operand of the product: its shape with windows and groups apart, and what its dimensions are.
struct Factor {
  Shape shape;
  std::vector<int64_t> groups;    ///< the batch dimension of the product, where there are groups
  std::vector<int64_t> contract;  ///< one per spatial dimension, then the input features
  std::vector<int64_t> kept;      ///< which dimension of the result each other one is, in order

  int64_t add(int64_t size) {
    shape.push_back(size);
    return std::ssize(shape) - 1;
  }
  void add_groups(int64_t count) {
    if (count > 1) groups.push_back(add(count));
  }
};

/// Issues the instructions of one convolution.
class ConvolutionWriter {
 public:
  ConvolutionWriter(const Convolution& op, PlanValueId input, PlanValueId kernel, const std::string& name,
                    const Location& location, PlanBuilder& out)
      : op_(op), input_(input), kernel_(kernel), name_(name), location_(location), out_(out) {
    windows_ = op.windows(shape(input), shape(kernel));
  }

  PlanValueId run() {
    PlanValueId x = input_;
    if (has_windows()) x = padded(spread(x));
    for (size_t i = 0; i < windows_.size(); ++i) x = windows_along(i, x);
    return product(x);
  }

 private:
  const Shape& shape(PlanValueId x) const { return out_.type(x).shape; }
  size_t rank() const { return windows_.size() + 2; }
  /// The spatial dimension that a dimension of the input is, or none.
  const ConvolutionWindows* along(size_t dim, const std::vector<int64_t>& spatial) const {
    const auto place = std::find(spatial.begin(), spatial.end(), static_cast<int64_t>(dim));
    return place == spatial.end() ? nullptr : &windows_[static_cast<size_t>(place - spatial.begin())];
  }
  static bool is_empty(const ConvolutionWindows& w) { return w.count() == 0 || w.kernel == 0; }
  /// Where there are none, the input is not padded, since a part of it may be cut that it does not have.
  bool has_windows() const { return std::none_of(windows_.begin(), windows_.end(), is_empty); }

  PlanValueId emit(OpData op, std::vector<PlanValueId> operands, Shape shape, const std::string& step) {
    const TensorType type{out_.type(input_).dtype, std::move(shape)};
    return out_.local(std::move(op), std::move(operands), type, step.empty() ? name_ : name_ + "." + step, location_,
                      Convolution::kName);
  }
  PlanValueId reshape(PlanValueId x, const Shape& to, const std::string& step) {
    return shape(x) == to ? x : emit(Reshape{to}, {x}, to, step);
  }
  PlanValueId pad(PlanValueId x, Pad pad, const std::string& step) {
    const auto is_zero = [](int64_t n) { return n == 0; };
    if (std::all_of(pad.low.begin(), pad.low.end(), is_zero) && std::all_of(pad.high.begin(), pad.high.end(), is_zero))
      return x;
    Shape to = shape(x);
    for (size_t d = 0; d < to.size(); ++d) to[d] += pad.low[d] + pad.high[d];
    const PlanValueId zero = emit(Constant{Rational(0), out_.type(input_).dtype, {}}, {}, {}, "zero");
    return emit(std::move(pad), {x, zero}, std::move(to), step);
  }
  PlanValueId slice(PlanValueId x, Slice slice, const std::string& step) {
    Shape to;
    for (size_t d = 0; d < slice.start.size(); ++d) {
      const int64_t stride = slice.strides.empty() ? 1 : slice.strides[d];
      to.push_back((slice.limit[d] - slice.start[d] + stride - 1) / stride);
    }
    return to == shape(x) ? x : emit(std::move(slice), {x}, std::move(to), step);
  }

  /// Gaps of zeros behind all elements, also the last: each element is padded in a dimension of its own.
  PlanValueId spread(PlanValueId x) {
    Shape apart, whole = shape(x);
    Pad gaps;
    for (size_t d = 0; d < rank(); ++d) {
      const ConvolutionWindows* const w = along(d, op_.dims.input.spatial);
      apart.push_back(shape(x)[d]);
      if (w == nullptr || w->dilation == 1) continue;
      gaps.high.resize(apart.size(), 0);
      apart.push_back(1);
      gaps.high.push_back(w->dilation - 1);
      whole[d] *= w->dilation;
    }
    gaps.high.resize(apart.size(), 0);
    gaps.low.resize(apart.size(), 0);
    if (apart.size() == rank()) return x;
    return reshape(pad(reshape(x, apart, "elements"), std::move(gaps), "gaps"), whole, "spread");
  }

  /// What spread() gave, with zeros around and then without what is cut, so that a cut may reach into the zeros.
  PlanValueId padded(PlanValueId x) {
    Pad more{std::vector<int64_t>(rank(), 0), std::vector<int64_t>(rank(), 0)};
    Slice less{more.low, {}, {}};
    for (size_t d = 0; d < rank(); ++d) {
      const ConvolutionWindows* const w = along(d, op_.dims.input.spatial);
      const int64_t low = w == nullptr ? 0 : w->low, size = shape(x)[d];
      const int64_t high = w == nullptr ? 0 : w->padded() - w->low - size;  // without the last gap
      more.low[d] = std::max<int64_t>(low, 0);
      more.high[d] = std::max<int64_t>(high, 0);
      less.start[d] = std::max<int64_t>(-low, 0);
      less.limit.push_back(more.low[d] + size + more.high[d] - std::max<int64_t>(-high, 0));
    }
    return slice(pad(x, std::move(more), "padded"), std::move(less), "cut");
  }

  /// Whether there are as many slices as the kernel has places. Where windows are fewer, as in the gradient of a
  /// kernel, each window is a slice.
  static bool by_places(const ConvolutionWindows& w) { return w.kernel <= w.count(); }

  /// `count` elements from `first` on, `step` apart.
  PlanValueId taken(PlanValueId x, size_t d, int64_t first, int64_t count, int64_t step, const std::string& name) {
    Slice part{std::vector<int64_t>(rank(), 0), shape(x), {}};
    part.start[d] = first;
    part.limit[d] = first + (count - 1) * step + 1;
    if (step != 1) part.strides.assign(rank(), 1);
    if (step != 1) part.strides[d] = step;
    return slice(x, std::move(part), name);
  }

  /// What the places of the kernel meet, one place after another, or the windows, one after another.
  PlanValueId windows_along(size_t i, PlanValueId x) {
    if (!has_windows()) return without_windows(i, x);
    const ConvolutionWindows& w = windows_[i];
    const int64_t dim = op_.dims.input.spatial[i], count = by_places(w) ? w.kernel : w.count();
    const std::string step = "windows." + std::to_string(i);
    std::vector<PlanValueId> parts;
    for (int64_t n = 0; n < count; ++n) {
      const int64_t at = w.reversed ? count - 1 - n : n;
      const std::string name = count == 1 ? step : step + "." + std::to_string(n);
      parts.push_back(by_places(w)
                          ? taken(x, static_cast<size_t>(dim), at * w.kernel_dilation, w.count(), w.stride, name)
                          : taken(x, static_cast<size_t>(dim), at * w.stride, w.kernel, w.kernel_dilation, name));
    }
    x = parts.front();
    Shape to = shape(x);
    to[static_cast<size_t>(dim)] *= count;
    if (count > 1) x = emit(Concatenate{dim}, std::move(parts), to, step);
    const bool turned = w.reversed && !by_places(w);  // the windows stand backwards, and so do the places in each
    return turned ? emit(Reverse{{dim}}, {x}, to, step + ".turned") : x;
  }
  /// Where a window or the kernel is empty along any dimension, there is no element to meet.
  PlanValueId without_windows(size_t i, PlanValueId x) {
    Slice none{std::vector<int64_t>(rank(), 0), shape(x), {}};
    none.limit[static_cast<size_t>(op_.dims.input.spatial[i])] = 0;
    return slice(x, std::move(none), "windows." + std::to_string(i));
  }

  Factor input_factor() const {
    Factor result;
    result.contract.resize(windows_.size() + 1);
    for (size_t d = 0; d < rank(); ++d) {
      const auto dim = static_cast<int64_t>(d);
      const int64_t size = shape(input_)[d];
      if (dim == op_.dims.input.batch) {
        result.add_groups(op_.batch_groups.value_or(1));
        result.add(size / op_.batch_groups.value_or(1));
        result.kept.push_back(op_.dims.output.batch);
      } else if (dim == op_.dims.input.feature) {
        result.add_groups(op_.feature_groups.value_or(1));
        result.contract.back() = result.add(size / op_.feature_groups.value_or(1));
      } else {
        const auto i = static_cast<size_t>(along(d, op_.dims.input.spatial) - windows_.data());
        const ConvolutionWindows& w = windows_[i];
        if (!by_places(w)) result.add(w.count());
        result.contract[i] = result.add(w.kernel);
        if (by_places(w)) result.add(w.count());
        result.kept.push_back(op_.dims.output.spatial[i]);
      }
    }
    return result;
  }

  int64_t groups() const { return std::max(op_.feature_groups.value_or(1), op_.batch_groups.value_or(1)); }

  Factor kernel_factor() const {
    Factor result;
    result.contract.resize(windows_.size() + 1);
    for (size_t d = 0; d < rank(); ++d) {
      const auto dim = static_cast<int64_t>(d);
      if (dim == op_.dims.kernel.output) {
        result.add_groups(groups());
        result.add(shape(kernel_)[d] / groups());
      } else if (dim == op_.dims.kernel.input) {
        result.contract.back() = result.add(shape(kernel_)[d]);
      } else {
        const auto i = static_cast<size_t>(along(d, op_.dims.kernel.spatial) - windows_.data());
        result.contract[i] = result.add(shape(kernel_)[d]);
      }
    }
    return result;
  }

  /// The product has the groups, what the input kept, then the features of a group.
  PlanValueId product(PlanValueId x) {
    const Factor left = input_factor(), right = kernel_factor();
    const Transpose order = to_output(left);
    const bool in_order = std::is_sorted(order.permutation.begin(), order.permutation.end()), whole = groups() == 1;
    x = reshape(x, left.shape, "windows");
    const PlanValueId kernel = reshape(kernel_, right.shape, "kernel");
    x = emit(DotGeneral{{left.contract, right.contract}, {}, {left.groups, right.groups}}, {x, kernel}, made(left),
             in_order && whole ? "" : "products");
    if (!in_order) x = transpose(x, order, whole ? "" : "grouped");
    return whole ? x : emit(Reshape{result_shape()}, {x}, result_shape(), "");
  }
  PlanValueId transpose(PlanValueId x, const Transpose& order, const std::string& step) {
    Shape to;
    for (const int64_t dim : order.permutation) to.push_back(shape(x)[static_cast<size_t>(dim)]);
    return emit(order, {x}, std::move(to), step);
  }
  /// The dimensions of the product in the order of the result; the groups go before the features of a group.
  Transpose to_output(const Factor& left) const {
    Transpose order;
    const int64_t first = groups() > 1 ? 1 : 0;
    for (int64_t d = 0; d < std::ssize(windows_) + 2; ++d) {
      if (d == op_.dims.output.feature && groups() > 1) order.permutation.push_back(0);
      order.permutation.push_back(first + (std::find(left.kept.begin(), left.kept.end(), d) - left.kept.begin()));
    }
    return order;
  }
  Shape made(const Factor& left) const {
    const Shape result = result_shape();
    Shape made;
    if (groups() > 1) made.push_back(groups());
    for (const int64_t dim : left.kept) made.push_back(result[static_cast<size_t>(dim)]);
    made.push_back(result[static_cast<size_t>(op_.dims.output.feature)] / groups());
    return made;
  }

  Shape result_shape() const {
    Shape result(rank());
    const auto size = [&](int64_t dim) -> int64_t& { return result[static_cast<size_t>(dim)]; };
    size(op_.dims.output.batch) =
        shape(input_)[static_cast<size_t>(op_.dims.input.batch)] / op_.batch_groups.value_or(1);
    size(op_.dims.output.feature) = shape(kernel_)[static_cast<size_t>(op_.dims.kernel.output)];
    for (size_t i = 0; i < windows_.size(); ++i) size(op_.dims.output.spatial[i]) = windows_[i].count();
    return result;
  }

  const Convolution& op_;
  PlanValueId input_, kernel_;
  const std::string& name_;
  const Location& location_;
  PlanBuilder& out_;
  std::vector<ConvolutionWindows> windows_;
};

}  // namespace

PlanValueId lower_convolution(const Convolution& op, PlanValueId input, PlanValueId kernel, const std::string& name,
                              const Location& location, PlanBuilder& out) {
  return ConvolutionWriter(op, input, kernel, name, location, out).run();
}

}  // namespace isoshard
