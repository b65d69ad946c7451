// What was issued, as the functions of CUDA, NCCL and cuBLASLt were given it. Nothing is taken from the call list: what
// a communicator is, and what a descriptor of a product holds, is what NCCL and cuBLASLt answer when they are asked,
// and constants are written down with the numbers of their headers. Cost: a vector per call, 2 µs for a product.
#include "exec/device/recorder.h"

#include <bit>

namespace isoshard::exec {
namespace {

/// -1 where the library does not say.
template <class T>
int64_t attribute_of(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute) {
  T value{};
  size_t written = 0;
  const cublasStatus_t status = cublasLtMatrixLayoutGetAttribute(layout, attribute, &value, sizeof value, &written);
  return status == CUBLAS_STATUS_SUCCESS ? static_cast<int64_t>(value) : -1;
}

int64_t attribute_of(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute) {
  int32_t value = 0;
  size_t written = 0;
  const cublasStatus_t status = cublasLtMatmulDescGetAttribute(operation, attribute, &value, sizeof value, &written);
  return status == CUBLAS_STATUS_SUCCESS ? int64_t{value} : -1;
}

int64_t real_at(const void* place, bool is_double) {
  const double value = is_double ? *static_cast<const double*>(place) : double{*static_cast<const float*>(place)};
  return std::bit_cast<int64_t>(value);
}

}  // namespace

int64_t Recorder::number_in(const Numbers& numbers, const void* handle) {
  const auto found = numbers.find(handle);
  return found == numbers.end() ? calls::kUnknownHandle : found->second;
}

void Recorder::made(cudaEvent_t event, calls::EventRole role, int64_t number) {
  events_.emplace(event, calls::event_number(role, number));
}

void Recorder::split(ncclComm_t made, int color, int key) {
  int size = -1, index = -1;
  if (made != nullptr) {
    communicators_.emplace(made, splits_);
    if (ncclCommCount(made, &size) != ncclSuccess) size = -1;
    if (ncclCommUserRank(made, &index) != ncclSuccess) index = -1;
  }
  add(calls::Function::split, {splits_++, color == NCCL_SPLIT_NOCOLOR ? -1 : color, key, size, index});
}

void Recorder::add_product(cublasLtMatmulDesc_t operation, const void* alpha, const void* beta,
                           const GivenMatrix (&matrices)[4], const void* workspace, cudaStream_t stream) {
  const int64_t scale = attribute_of(operation, CUBLASLT_MATMUL_DESC_SCALE_TYPE);
  const bool is_double = scale == CUDA_R_64F;
  std::vector<int64_t> arguments{attribute_of(operation, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE),
                                 scale,
                                 attribute_of(operation, CUBLASLT_MATMUL_DESC_TRANSA),
                                 attribute_of(operation, CUBLASLT_MATMUL_DESC_TRANSB),
                                 real_at(alpha, is_double),
                                 real_at(beta, is_double)};
  for (const GivenMatrix& matrix : matrices) {
    arguments.push_back(place(matrix.data));
    arguments.push_back(attribute_of<uint32_t>(matrix.layout, CUBLASLT_MATRIX_LAYOUT_TYPE));
    arguments.push_back(attribute_of<int32_t>(matrix.layout, CUBLASLT_MATRIX_LAYOUT_ORDER));
    arguments.push_back(attribute_of<uint64_t>(matrix.layout, CUBLASLT_MATRIX_LAYOUT_ROWS));
    arguments.push_back(attribute_of<uint64_t>(matrix.layout, CUBLASLT_MATRIX_LAYOUT_COLS));
    arguments.push_back(attribute_of<int64_t>(matrix.layout, CUBLASLT_MATRIX_LAYOUT_LD));
    arguments.push_back(attribute_of<int32_t>(matrix.layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT));
    arguments.push_back(attribute_of<int64_t>(matrix.layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET));
  }
  arguments.push_back(number_in(workspaces_, workspace));
  arguments.push_back(number(stream));
  add(calls::Function::product, std::move(arguments));
}

}  // namespace isoshard::exec
