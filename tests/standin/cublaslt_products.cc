// Products of cuBLASLt: one loop over the elements of the result, each a sum over k in order, in f32 or f64, and
// rounded once, after the epilogue. There are three algorithms, so that which one is taken can be seen: that, which the
// heuristic proposes; the same in two parts; and two parts rounded to the result before they are added, which exec must
// not take. The real library adds in another order and in parts, so results may differ from it
// in the last bits, and from sim's. What is not computed here is refused, above all epilogues in row order, as there.
#include <bit>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>

#include "tests/standin/cublaslt_types.h"
#include "tests/standin/issue.h"
#include "tests/standin/memory.h"
#include "tests/standin/numbers.h"
#include "tests/standin/remote/client.h"
#include "tests/standin/streams.h"
#include "tests/standin/witness.h"

namespace standin {
namespace {

struct Shape {
  uint64_t rows, columns;
};

Shape shape_of(const MatrixLayout& layout, int32_t transpose) {
  return transpose == CUBLAS_OP_N ? Shape{layout.rows, layout.columns} : Shape{layout.columns, layout.rows};
}

size_t type_bytes(int32_t type) {
  switch (type) {
    case CUDA_R_32F:
      return 4;
    case CUDA_R_64F:
      return 8;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    default:
      return 0;
  }
}

bool has_bias(const ProductDesc& desc) { return (desc.epilogue & CUBLASLT_EPILOGUE_BIAS) != 0; }

bool epilogue_known(uint32_t epilogue) {
  return epilogue == CUBLASLT_EPILOGUE_DEFAULT || epilogue == CUBLASLT_EPILOGUE_RELU ||
         epilogue == CUBLASLT_EPILOGUE_BIAS || epilogue == CUBLASLT_EPILOGUE_RELU_BIAS ||
         epilogue == CUBLASLT_EPILOGUE_GELU || epilogue == CUBLASLT_EPILOGUE_GELU_BIAS;
}

bool types_known(const ProductDesc& desc, const MatrixLayout& a, const MatrixLayout& b, const MatrixLayout& c,
                 const MatrixLayout& d) {
  const bool wide = desc.compute == CUBLAS_COMPUTE_64F || desc.compute == CUBLAS_COMPUTE_64F_PEDANTIC;
  const bool single = desc.compute == CUBLAS_COMPUTE_32F || desc.compute == CUBLAS_COMPUTE_32F_PEDANTIC ||
                      (desc.compute == CUBLAS_COMPUTE_32F_FAST_TF32 && a.type == CUDA_R_32F);
  if (a.type != b.type || c.type != d.type || type_bytes(a.type) == 0 || type_bytes(d.type) == 0) return false;
  if (wide) return desc.scale == CUDA_R_64F && a.type == CUDA_R_64F && d.type == CUDA_R_64F;
  return single && desc.scale == CUDA_R_32F && a.type != CUDA_R_64F && (d.type == a.type || d.type == CUDA_R_32F);
}

bool layout_good(const MatrixLayout& layout) {
  const uint64_t least = layout.order == CUBLASLT_ORDER_COL ? layout.rows : layout.columns;
  return layout.leading >= 0 && static_cast<uint64_t>(layout.leading) >= least && layout.batch >= 1;
}

uint64_t place_in(const MatrixLayout& layout, uint64_t batch, uint64_t row, uint64_t column) {
  const auto leading = static_cast<uint64_t>(layout.leading);
  const uint64_t in_matrix = layout.order == CUBLASLT_ORDER_COL ? column * leading + row : row * leading + column;
  return batch * static_cast<uint64_t>(layout.stride) + in_matrix;
}

size_t bytes_of_layout(const MatrixLayout& layout) {
  if (layout.rows == 0 || layout.columns == 0) return 0;
  const auto last = static_cast<uint64_t>(layout.batch - 1);
  return (place_in(layout, last, layout.rows - 1, layout.columns - 1) + 1) * type_bytes(layout.type);
}

template <class T>
T element(const void* data, int32_t type, uint64_t place) {
  switch (type) {
    case CUDA_R_64F:
      return static_cast<T>(load_at<Plain<double>>(data, place));
    case CUDA_R_16F:
      return static_cast<T>(load_at<F16>(data, place));
    case CUDA_R_16BF:
      return static_cast<T>(load_at<Bf16>(data, place));
    default:
      return static_cast<T>(load_at<Plain<float>>(data, place));
  }
}

template <class T>
void put(void* data, int32_t type, uint64_t place, T value) {
  switch (type) {
    case CUDA_R_64F:
      return store_at<Plain<double>>(data, place, static_cast<double>(value));
    case CUDA_R_16F:
      return store_at<F16>(data, place, static_cast<float>(value));
    case CUDA_R_16BF:
      return store_at<Bf16>(data, place, static_cast<float>(value));
    default:
      return store_at<Plain<float>>(data, place, static_cast<float>(value));
  }
}

template <class T>
T activated(uint32_t epilogue, T value) {
  if ((epilogue & CUBLASLT_EPILOGUE_RELU) != 0) return value > 0 ? value : 0;
  if ((epilogue & CUBLASLT_EPILOGUE_GELU) == 0) return value;
  const T inner = static_cast<T>(0.7978845608028654) * (value + static_cast<T>(0.044715) * value * value * value);
  return static_cast<T>(0.5) * value * (1 + std::tanh(inner));
}

template <class T>
T operand(const MatrixLayout& layout, const void* data, int32_t transpose, uint64_t batch, uint64_t i, uint64_t j) {
  return transpose == CUBLAS_OP_N ? element<T>(data, layout.type, place_in(layout, batch, i, j))
                                  : element<T>(data, layout.type, place_in(layout, batch, j, i));
}

/// What a tensor core takes of a float: 11 bits, rounded to the nearest, ties away from zero (PTX: cvt.rna.tf32.f32).
float as_tf32(float value) {
  if (!std::isfinite(value)) return value;
  return std::bit_cast<float>((std::bit_cast<uint32_t>(value) + 0x1000U) & ~0x1fffU);
}
double as_tf32(double value) { return value; }

/// The sum of the terms from `begin` on, before `end`.
template <class T>
T part_of_sum(const ProductCall& call, uint64_t batch, uint64_t i, uint64_t j, uint64_t begin, uint64_t end) {
  const ProductDesc& desc = call.desc;
  T sum = 0;
  for (uint64_t k = begin; k < end; ++k) {
    const T a = operand<T>(call.a, call.a_data, desc.transpose_a, batch, i, k);
    const T b = operand<T>(call.b, call.b_data, desc.transpose_b, batch, k, j);
    sum += desc.compute == CUBLAS_COMPUTE_32F_FAST_TF32 ? as_tf32(a) * as_tf32(b) : a * b;
  }
  return sum;
}

/// A number as memory of this type keeps it.
template <class T>
T as_kept(int32_t type, T value) {
  std::byte bytes[sizeof(double)];
  put(bytes, type, 0, value);
  return element<T>(bytes, type, 0);
}

template <class T>
void compute_element(const ProductCall& call, uint64_t batch, uint64_t i, uint64_t j) {
  const ProductDesc& desc = call.desc;
  const uint64_t inner = shape_of(call.a, desc.transpose_a).columns;
  const auto parts = static_cast<uint64_t>(call.algorithm.parts);
  T sum = 0;
  for (uint64_t part = 0; part < parts; ++part) {
    const T added = part_of_sum<T>(call, batch, i, j, inner * part / parts, inner * (part + 1) / parts);
    sum += call.algorithm.reduction == CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE ? as_kept(call.d.type, added) : added;
  }
  const uint64_t place = place_in(call.d, batch, i, j);
  T value = static_cast<T>(call.alpha) * sum;
  if (call.beta != 0) {
    value += static_cast<T>(call.beta) * element<T>(call.c_data, call.c.type, place_in(call.c, batch, i, j));
  }
  const int32_t bias_type = desc.bias_type < 0 ? call.d.type : desc.bias_type;
  if (has_bias(desc)) value += element<T>(desc.bias, bias_type, batch * static_cast<uint64_t>(desc.bias_stride) + i);
  put(call.d_data, call.d.type, place, activated(desc.epilogue, value));
}

template <class T>
void compute(const ProductCall& call) {
  for (uint64_t batch = 0; batch < static_cast<uint64_t>(call.d.batch); ++batch) {
    for (uint64_t j = 0; j < call.d.columns; ++j) {
      for (uint64_t i = 0; i < call.d.rows; ++i) compute_element<T>(call, batch, i, j);
    }
  }
}

bool all_accessible(int device, const ProductCall& call, const std::string& who) {
  bool good = accessible(device, call.a_data, bytes_of_layout(call.a), who + " reads");
  good = accessible(device, call.b_data, bytes_of_layout(call.b), who + " reads") && good;
  if (call.beta != 0) good = accessible(device, call.c_data, bytes_of_layout(call.c), who + " reads") && good;
  const int32_t bias_type = call.desc.bias_type < 0 ? call.d.type : call.desc.bias_type;
  if (has_bias(call.desc)) {
    good = accessible(device, call.desc.bias, call.d.rows * type_bytes(bias_type), who + " reads a bias of") && good;
  }
  return accessible(device, call.d_data, bytes_of_layout(call.d), who + " writes") && good;
}

std::string matrix_words(const void* data, const MatrixLayout& layout) {
  std::string words = name_of_place(data);
  for (const int64_t number :
       {int64_t{layout.type}, int64_t{layout.order}, static_cast<int64_t>(layout.rows),
        static_cast<int64_t>(layout.columns), layout.leading, int64_t{layout.batch}, layout.stride}) {
    words += " " + std::to_string(number);
  }
  return words;
}

void witness_product(const ProductCall& call, const CUstream_st* stream) {
  const ProductDesc& desc = call.desc;
  witness({"cublasLtMatmul", word(desc.compute), word(desc.scale), word(desc.transpose_a), word(desc.transpose_b),
           word(desc.epilogue), desc.bias == nullptr ? "none" : name_of_place(desc.bias), word(call.alpha),
           word(call.beta), matrix_words(call.a_data, call.a), matrix_words(call.b_data, call.b),
           matrix_words(call.c_data, call.c), matrix_words(call.d_data, call.d), name_of_place(call.workspace),
           name_of_stream(stream)});
}

cublasStatus_t issue_asked_product(cudaStream_t handle, const ProductCall& call) {
  const Lock lock(Machine::get().mutex);
  return issue_product(handle, call);
}

}  // namespace

std::optional<ProductAlgo> algorithm_in(const cublasLtMatmulAlgo_t& bytes) {
  constexpr ProductAlgo kAlgorithms[] = {{1, 1, CUBLASLT_REDUCTION_SCHEME_NONE},
                                         {2, 2, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE},
                                         {3, 2, CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE}};
  for (size_t i = 1; i < std::size(bytes.data); ++i) {
    if (bytes.data[i] != 0) return std::nullopt;
  }
  if (bytes.data[0] < 1 || bytes.data[0] > std::size(kAlgorithms)) return std::nullopt;
  return kAlgorithms[bytes.data[0] - 1];
}

cublasLtMatmulAlgo_t first_algorithm() {
  cublasLtMatmulAlgo_t algorithm{};
  algorithm.data[0] = 1;
  return algorithm;
}

cublasStatus_t product_status(const ProductDesc& desc, const MatrixLayout& a, const MatrixLayout& b,
                              const MatrixLayout& c, const MatrixLayout& d) {
  if (!types_known(desc, a, b, c, d) || !epilogue_known(desc.epilogue)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (desc.pointer_mode != 0) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (desc.epilogue != CUBLASLT_EPILOGUE_DEFAULT && d.order == CUBLASLT_ORDER_ROW) return CUBLAS_STATUS_NOT_SUPPORTED;
  for (const MatrixLayout* layout : {&a, &b, &c, &d}) {
    if (!layout_good(*layout) || layout->batch != d.batch) return CUBLAS_STATUS_INVALID_VALUE;
  }
  const Shape left = shape_of(a, desc.transpose_a), right = shape_of(b, desc.transpose_b);
  const bool fits = left.columns == right.rows && left.rows == d.rows && right.columns == d.columns &&
                    c.rows == d.rows && c.columns == d.columns;
  return fits ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t issue_product(cudaStream_t handle, const ProductCall& call) {
  if (is_client()) return ask<&issue_asked_product>(handle, call);
  CUstream_st* const stream = stream_of(handle);
  if (witnesses()) witness_product(call, stream);
  if (stream == nullptr || (call.beta != 0 && call.c_data == nullptr)) return CUBLAS_STATUS_INVALID_VALUE;
  if (has_bias(call.desc) && call.desc.bias == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const int rank = stream->rank;
  const std::string shape = std::to_string(call.d.rows) + "x" + std::to_string(call.d.columns) + "x" +
                            std::to_string(shape_of(call.a, call.desc.transpose_a).columns);
  const std::string who = place_of(rank, stream->index) + ": a product " + shape;
  const cudaError_t error = issue_work(*stream, "product " + shape, [rank, call, who] {
    if (!all_accessible(rank, call, who)) return;
    call.desc.scale == CUDA_R_64F ? compute<double>(call) : compute<float>(call);
  });
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace standin
