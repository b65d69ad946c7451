// What was issued, as the functions of CUDA, NCCL and cuBLASLt were given it. Nothing is taken from the call list: what
// a communicator is, and what a descriptor of a product holds, is what NCCL and cuBLASLt answer when they are asked,
// and constants are written down with the numbers of their headers. Cost: a vector per call, 2 µs for a product.
#include "exec/device/recorder.h"

#include <bit>

namespace isoshard::exec {
namespace {

/// What cuBLASLt says of its descriptors, and the first failure to say it.
class Asked {
 public:
  template <class T>
  int64_t of(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute) {
    T value{};
    size_t written = 0;
    note(cublasLtMatrixLayoutGetAttribute(layout, attribute, &value, sizeof value, &written));
    return static_cast<int64_t>(value);
  }
  template <class T = int32_t>
  T of(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute) {
    T value{};
    size_t written = 0;
    note(cublasLtMatmulDescGetAttribute(operation, attribute, &value, sizeof value, &written));
    return value;
  }
  cublasStatus_t status() const { return status_; }

 private:
  void note(cublasStatus_t status) {
    if (status_ == CUBLAS_STATUS_SUCCESS) status_ = status;
  }
  cublasStatus_t status_ = CUBLAS_STATUS_SUCCESS;
};

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

ncclResult_t Recorder::split(ncclComm_t made, int color, int key) {
  int size = -1, index = -1;
  if (made != nullptr) {
    communicators_.emplace(made, splits_);
    if (const ncclResult_t asked = ncclCommCount(made, &size); asked != ncclSuccess) return asked;
    if (const ncclResult_t asked = ncclCommUserRank(made, &index); asked != ncclSuccess) return asked;
  }
  add(calls::Function::split, {splits_++, color == NCCL_SPLIT_NOCOLOR ? -1 : color, key, size, index});
  return ncclSuccess;
}

cublasStatus_t Recorder::add_product(cublasLtMatmulDesc_t operation, const void* alpha, const void* beta,
                                     const GivenMatrix (&matrices)[4], const void* workspace, cudaStream_t stream) {
  Asked asked;
  const int64_t scale = asked.of(operation, CUBLASLT_MATMUL_DESC_SCALE_TYPE);
  const bool is_double = scale == CUDA_R_64F;
  const auto* const bias = asked.of<const void*>(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
  std::vector<int64_t> arguments{asked.of(operation, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE),
                                 scale,
                                 asked.of(operation, CUBLASLT_MATMUL_DESC_TRANSA),
                                 asked.of(operation, CUBLASLT_MATMUL_DESC_TRANSB),
                                 asked.of(operation, CUBLASLT_MATMUL_DESC_EPILOGUE),
                                 bias == nullptr ? calls::kNowhere : place(bias),
                                 real_at(alpha, is_double),
                                 real_at(beta, is_double)};
  for (const GivenMatrix& matrix : matrices) {
    arguments.push_back(place(matrix.data));
    arguments.push_back(asked.of<uint32_t>(matrix.layout, CUBLASLT_MATRIX_LAYOUT_TYPE));
    arguments.push_back(asked.of<int32_t>(matrix.layout, CUBLASLT_MATRIX_LAYOUT_ORDER));
    arguments.push_back(asked.of<uint64_t>(matrix.layout, CUBLASLT_MATRIX_LAYOUT_ROWS));
    arguments.push_back(asked.of<uint64_t>(matrix.layout, CUBLASLT_MATRIX_LAYOUT_COLS));
    arguments.push_back(asked.of<int64_t>(matrix.layout, CUBLASLT_MATRIX_LAYOUT_LD));
    arguments.push_back(asked.of<int32_t>(matrix.layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT));
    arguments.push_back(asked.of<int64_t>(matrix.layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET));
  }
  arguments.push_back(number_in(workspaces_, workspace));
  arguments.push_back(number(stream));
  if (asked.status() == CUBLAS_STATUS_SUCCESS) add(calls::Function::product, std::move(arguments));
  return asked.status();
}

}  // namespace isoshard::exec
