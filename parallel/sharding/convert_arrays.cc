// convert_params: the arrays of one layout as those of another, by way of the dense kernel and bias.
// A layout is a list of pieces: which rectangle of the dense array stands where in what a device holds. Conversion adds
// all pieces of the one layout up to the dense arrays and cuts those of the other one out, so that each layout is
// described once and not each pair. Adding up makes biases right: in mode `scatter` only one device has it, or all have
// terms. Shapes and dtypes are checked against the layout before. On one device the modules have other paths. Cost: one
// pass over the arrays per side.

#include <algorithm>
#include <map>
#include <utility>

#include "parallel/sharding/convert_params.h"

namespace isoshard {
namespace {

/// A matrix, row-major; a bias has one row.
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<float> values;
  float& at(int64_t r, int64_t c) { return values[static_cast<size_t>(r * columns + c)]; }
};

/// A rectangle of what `device` holds of the array `name` and where it stands in the dense array.
struct Piece {
  std::string name;
  int64_t device = 0;
  int64_t local_column = 0;  ///< its first one; all pieces begin with row 0
  int64_t row = 0, column = 0;
  int64_t rows = 0, columns = 0;
};

/// Where everything stands in one layout on N devices of a dense array of that size.
class Pieces {
 public:
  Pieces(TpLayout layout, int64_t devices, int64_t rows, int64_t columns, bool is_bias)
      : layout_(devices == 1 && layout != TpLayout::dense ? one_device(layout) : layout),
        alone_(devices == 1),
        n_(devices),
        rows_(rows),
        columns_(columns),
        is_bias_(is_bias) {}

  std::vector<Piece> all() {
    if (alone_ || layout_ == TpLayout::dense) return {Piece{name(0), 0, 0, 0, 0, rows_, columns_}};
    const bool sync = layout_ == TpLayout::gather || layout_ == TpLayout::scatter;
    for (int64_t d = 0; d < n_; ++d) {
      for (int64_t k = 0; k < (sync || is_bias_ ? 1 : n_); ++k) add(d, k);
    }
    return std::move(pieces_);
  }

  /// What a device holds of each array.
  std::pair<int64_t, int64_t> local_shape() const {
    if (alone_ || layout_ == TpLayout::dense) return {rows_, columns_};
    const bool all_rows = layout_ == TpLayout::gather || is_bias_;
    return {all_rows ? rows_ : rows_ / n_, layout_ == TpLayout::scatter ? columns_ : columns_ / n_};
  }

  /// Arrays of devices have a leading dimension.
  bool stacked() const { return !alone_ && layout_ != TpLayout::dense; }

  std::string name(int64_t k) const {
    const std::string leaf = is_bias_ ? "bias" : "kernel";
    if (layout_ == TpLayout::dense) return leaf;
    const bool sync = layout_ == TpLayout::gather || layout_ == TpLayout::scatter;
    const std::string shard = "shard_" + std::to_string(k);
    if (alone_) return (sync ? "Dense_0/" : shard + "/") + leaf;
    return (sync ? "module" : shard) + "/sharded/" + leaf;
  }

 private:
  static TpLayout one_device(TpLayout layout) {
    return layout == TpLayout::gather || layout == TpLayout::scatter ? TpLayout::gather : TpLayout::async_gather;
  }

  void block(int64_t d, int64_t k, int64_t row, int64_t column, int64_t start, int64_t limit) {
    const int64_t height = is_bias_ ? 1 : rows_ / n_, width = columns_ / n_;
    const int64_t r = is_bias_ ? 0 : (row % n_ + n_) % n_, c = (column % n_ + n_) % n_;
    pieces_.push_back(Piece{name(k), d, start, r * height, c * width + start, height, limit - start});
  }

  void add(int64_t d, int64_t k) {
    const int64_t width = columns_ / n_;
    switch (layout_) {
      case TpLayout::dense:
        return;
      case TpLayout::gather:
        pieces_.push_back(Piece{name(k), d, 0, 0, d * width, rows_, width});
        return;
      case TpLayout::scatter:
        pieces_.push_back(
            Piece{name(k), d, 0, is_bias_ ? 0 : d * (rows_ / n_), 0, is_bias_ ? 1 : rows_ / n_, columns_});
        return;
      case TpLayout::async_gather:
        return block(d, k, d - k, d, 0, width);
      case TpLayout::async_scatter:
        return block(d, k, d, d - 1 - k, 0, width);
      case TpLayout::async_split:
        block(d, k, d, d - 1 - k, 0, width / 2);
        return block(d, k, d, d + 1 + k, width / 2, width);
    }
  }

  TpLayout layout_;
  bool alone_;
  int64_t n_, rows_, columns_;
  bool is_bias_;
  std::vector<Piece> pieces_;
};

const NamedTensor* find_array(const std::vector<NamedTensor>& params, const std::string& name) {
  const auto it = std::find_if(params.begin(), params.end(), [&](const NamedTensor& p) { return p.name == name; });
  return it == params.end() ? nullptr : &*it;
}

/// The shape of an array of a layout.
Shape array_shape(const Pieces& pieces, int64_t devices, bool is_bias) {
  const auto [rows, columns] = pieces.local_shape();
  Shape shape = is_bias ? Shape{columns} : Shape{rows, columns};
  if (pieces.stacked()) shape.insert(shape.begin(), devices);
  return shape;
}

/// Adds up the pieces; nothing after an error.
std::optional<Matrix> to_dense(const std::vector<NamedTensor>& params, Pieces pieces, int64_t devices, bool is_bias,
                               Matrix dense, DiagnosticSink& sink) {
  const Shape shape = array_shape(pieces, devices, is_bias);
  const auto [height, width] = pieces.local_shape();
  for (const Piece& piece : pieces.all()) {
    const NamedTensor* array = find_array(params, piece.name);
    const bool fits = array != nullptr && array->tensor.dtype() == DType::f32 && array->tensor.shape() == shape;
    if (!fits) {
      sink.error("C-layout", {},
                 "convert_params: the array " + piece.name + " is " +
                     (array == nullptr ? "missing" : to_string(array->tensor.dtype(), array->tensor.shape())) +
                     "; expected " + to_string(DType::f32, shape));
      return std::nullopt;
    }
    const auto values = array->tensor.as<float>();
    const int64_t start = pieces.stacked() ? piece.device * height * width : 0;
    for (int64_t r = 0; r < piece.rows; ++r) {
      for (int64_t c = 0; c < piece.columns; ++c) {
        dense.at(piece.row + r, piece.column + c) +=
            values[static_cast<size_t>(start + r * width + piece.local_column + c)];
      }
    }
  }
  return dense;
}

void from_dense(Matrix& dense, TpLayout to, Pieces pieces, int64_t devices, bool is_bias,
                std::vector<NamedTensor>& result) {
  const Shape shape = array_shape(pieces, devices, is_bias);
  const auto [height, width] = pieces.local_shape();
  std::map<std::string, std::vector<float>> arrays;
  for (const Piece& piece : pieces.all()) {
    std::vector<float>& values = arrays[piece.name];
    values.resize(static_cast<size_t>(element_count(shape)));
    if (is_bias && to == TpLayout::scatter && piece.device != 0) continue;  // one bias in all
    const int64_t start = pieces.stacked() ? piece.device * height * width : 0;
    for (int64_t r = 0; r < piece.rows; ++r) {
      for (int64_t c = 0; c < piece.columns; ++c) {
        values[static_cast<size_t>(start + r * width + piece.local_column + c)] =
            dense.at(piece.row + r, piece.column + c);
      }
    }
  }
  for (const auto& [name, values] : arrays) {
    result.push_back(NamedTensor{name, Tensor::from<float>(DType::f32, shape, values)});
  }
}

/// The dense size of the arrays called as in `layout`; nothing where the first of them is missing.
std::optional<Matrix> dense_size(const std::vector<NamedTensor>& params, TpLayout layout, int64_t devices,
                                 bool is_bias) {
  const NamedTensor* first = find_array(params, Pieces(layout, devices, 0, 0, is_bias).name(0));
  if (first == nullptr) return std::nullopt;
  Shape shape = first->tensor.shape();
  const bool stacked = devices != 1 && layout != TpLayout::dense;
  if (stacked && !shape.empty()) shape.erase(shape.begin());
  if (shape.size() != (is_bias ? 1U : 2U)) return Matrix{};
  Matrix result{is_bias ? 1 : shape[0], shape.back(), {}};
  if (stacked && layout != TpLayout::gather && !is_bias) result.rows *= devices;
  if (stacked && layout != TpLayout::scatter) result.columns *= devices;
  result.values.resize(static_cast<size_t>(result.rows * result.columns));
  return result;
}

}  // namespace

std::optional<std::vector<NamedTensor>> convert_params(const std::vector<NamedTensor>& params, TpLayout from,
                                                       TpLayout to, int64_t devices, DiagnosticSink& sink) {
  std::vector<NamedTensor> result;
  for (const bool is_bias : {false, true}) {
    std::optional<Matrix> size = dense_size(params, from, devices, is_bias);
    if (!size && is_bias) break;  // a layer without a bias
    const Matrix whole = size.value_or(Matrix{});
    std::optional<Matrix> dense =
        to_dense(params, Pieces(from, devices, whole.rows, whole.columns, is_bias), devices, is_bias, whole, sink);
    if (!dense) return std::nullopt;
    if (to != TpLayout::dense && (dense->columns % devices != 0 || (!is_bias && dense->rows % devices != 0))) {
      sink.error("C-layout", {},
                 "convert_params: the dense kernel is " + to_string(DType::f32, {dense->rows, dense->columns}) +
                     "; expected sizes that " + std::to_string(devices) + " devices divide");
      return std::nullopt;
    }
    from_dense(*dense, to, Pieces(to, devices, dense->rows, dense->columns, is_bias), devices, is_bias, result);
  }
  return result;
}

}  // namespace isoshard
