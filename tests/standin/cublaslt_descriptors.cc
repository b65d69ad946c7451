// Descriptors of cuBLASLt, whose attributes are the bytes of members of cublaslt_types.h. The opaque structures of
// cublasLt.h are larger than these, so they hold them.
#include <cstring>
#include <map>

#include "tests/standin/calls.h"
#include "tests/standin/cublaslt_types.h"

/// What a handle stands for.
struct cublasLtContext {};

namespace standin {
namespace {

static_assert(sizeof(ProductDesc) <= sizeof(cublasLtMatmulDescOpaque_t));
static_assert(sizeof(MatrixLayout) <= sizeof(cublasLtMatrixLayoutOpaque_t));

template <class T>
struct AsOpaque;
template <>
struct AsOpaque<ProductDesc> {
  using type = cublasLtMatmulDescOpaque_t;
};
template <>
struct AsOpaque<MatrixLayout> {
  using type = cublasLtMatrixLayoutOpaque_t;
};

template <class T>
void write_to(typename AsOpaque<T>::type* opaque, const T& value) {
  std::memcpy(static_cast<void*>(opaque), &value, sizeof value);
}

template <class T>
T read_from(const typename AsOpaque<T>::type* opaque) {
  T value;
  std::memcpy(static_cast<void*>(&value), opaque, sizeof value);
  return value;
}

/// What `act` says of the member that an attribute is.
template <class Act>
cublasStatus_t with(ProductDesc& desc, cublasLtMatmulDescAttributes_t attribute, const Act& act) {
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE:
      return act(desc.compute);
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
      return act(desc.scale);
    case CUBLASLT_MATMUL_DESC_POINTER_MODE:
      return act(desc.pointer_mode);
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return act(desc.transpose_a);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return act(desc.transpose_b);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return act(desc.epilogue);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return act(desc.bias);
    case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE:
      return act(desc.bias_stride);
    case CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET:
      return act(desc.multiprocessors);
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
      return act(desc.bias_type);
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

template <class Act>
cublasStatus_t with(MatrixLayout& layout, cublasLtMatrixLayoutAttribute_t attribute, const Act& act) {
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE:
      return act(layout.type);
    case CUBLASLT_MATRIX_LAYOUT_ORDER:
      return act(layout.order);
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
      return act(layout.rows);
    case CUBLASLT_MATRIX_LAYOUT_COLS:
      return act(layout.columns);
    case CUBLASLT_MATRIX_LAYOUT_LD:
      return act(layout.leading);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return act(layout.batch);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return act(layout.stride);
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

template <class T, class Attribute>
cublasStatus_t set_in(typename AsOpaque<T>::type* opaque, Attribute attribute, const void* value, size_t bytes,
                      const char* name = __builtin_FUNCTION()) {
  const auto change = [&](Lock&) {
    if (opaque == nullptr || value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    T changed = read_from<T>(opaque);
    const cublasStatus_t status = with(changed, attribute, [&](auto& member) {
      if (bytes != sizeof member) return CUBLAS_STATUS_INVALID_VALUE;
      std::memcpy(&member, value, bytes);
      return CUBLAS_STATUS_SUCCESS;
    });
    write_to(opaque, changed);
    return status;
  };
  return cublas_call(change, name);
}

template <class T, class Attribute>
cublasStatus_t get_of(const typename AsOpaque<T>::type* opaque, Attribute attribute, void* value, size_t bytes,
                      size_t* written, const char* name = __builtin_FUNCTION()) {
  const auto read = [&](Lock&) {
    if (opaque == nullptr || value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    T held = read_from<T>(opaque);
    return with(held, attribute, [&](auto& member) {
      if (bytes != sizeof member) return CUBLAS_STATUS_INVALID_VALUE;
      std::memcpy(value, &member, bytes);
      if (written != nullptr) *written = bytes;
      return CUBLAS_STATUS_SUCCESS;
    });
  };
  return cublas_call(read, name);
}

template <class Opaque>
cublasStatus_t make(Opaque** out) {
  if (out == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *out = new Opaque{};
  return CUBLAS_STATUS_SUCCESS;
}

double number_at(const void* place, int32_t type) {
  if (type == CUDA_R_64F) return *static_cast<const double*>(place);
  return static_cast<double>(*static_cast<const float*>(place));
}

}  // namespace
}  // namespace standin

using namespace standin;

extern "C" {

size_t cublasLtGetVersion(void) { return 130100; }

const char* cublasLtGetStatusName(cublasStatus_t status) {
  static const std::map<int, const char*> names{{CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS"},
                                                {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED"},
                                                {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED"},
                                                {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE"},
                                                {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED"},
                                                {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR"},
                                                {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED"}};
  const auto found = names.find(status);
  return found == names.end() ? "an unknown status" : found->second;
}

const char* cublasLtGetStatusString(cublasStatus_t status) { return cublasLtGetStatusName(status); }

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  return cublas_call([&](Lock&) { return make(handle); });
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc, cublasComputeType_t compute, cudaDataType_t scale) {
  return cublas_call([&](Lock&) {
    const cublasStatus_t status = make(desc);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    ProductDesc made;
    made.compute = compute;
    made.scale = scale;
    write_to(*desc, made);
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  delete desc;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t bytes) {
  return set_in<ProductDesc>(desc, attribute, value, bytes);
}

cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                                              void* value, size_t bytes, size_t* written) {
  return get_of<ProductDesc>(desc, attribute, value, bytes, written);
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t leading) {
  return cublas_call([&](Lock&) {
    const cublasStatus_t status = make(layout);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    MatrixLayout made;
    made.type = type;
    made.rows = rows;
    made.columns = columns;
    made.leading = leading;
    write_to(*layout, made);
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute, const void* value,
                                                size_t bytes) {
  return set_in<MatrixLayout>(layout, attribute, value, bytes);
}

cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute, void* value, size_t bytes,
                                                size_t* written) {
  return get_of<MatrixLayout>(layout, attribute, value, bytes, written);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  return cublas_call([&](Lock&) { return make(preference); });
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}

// The algorithms of the stand-in need no workspace and take any alignment.
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t, const void* value,
                                                    size_t bytes) {
  return cublas_call([&](Lock&) {
    const bool good = preference != nullptr && value != nullptr && (bytes == 4 || bytes == 8);
    return good ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
  });
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[], int* found) {
  return cublas_call([&](Lock&) {
    if (handle == nullptr || !desc || !a || !b || !c || !d || !preference || wanted < 1 || !results || !found) {
      return CUBLAS_STATUS_INVALID_VALUE;
    }
    *found = 0;
    const cublasStatus_t status =
        product_status(read_from<ProductDesc>(desc), read_from<MatrixLayout>(a), read_from<MatrixLayout>(b),
                       read_from<MatrixLayout>(c), read_from<MatrixLayout>(d));
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    *found = 1;
    results[0] = {};
    results[0].algo = first_algorithm();
    results[0].state = CUBLAS_STATUS_SUCCESS;
    results[0].wavesCount = 1;
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                                       cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t* algo, cublasLtMatmulHeuristicResult_t* result) {
  return cublas_call([&](Lock&) {
    if (!handle || !desc || !a || !b || !c || !d || !algo || !result) return CUBLAS_STATUS_INVALID_VALUE;
    const cublasStatus_t status =
        product_status(read_from<ProductDesc>(desc), read_from<MatrixLayout>(a), read_from<MatrixLayout>(b),
                       read_from<MatrixLayout>(c), read_from<MatrixLayout>(d));
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    if (!algorithm_in(*algo)) return CUBLAS_STATUS_INVALID_VALUE;
    *result = {};
    result->algo = *algo;
    result->wavesCount = 1;
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t* algo,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute, void* value,
                                                    size_t bytes, size_t* written) {
  return cublas_call([&](Lock&) {
    const std::optional<ProductAlgo> held = algo == nullptr ? std::nullopt : algorithm_in(*algo);
    if (!held || value == nullptr || bytes != sizeof(int32_t)) return CUBLAS_STATUS_INVALID_VALUE;
    const int32_t found = attribute == CUBLASLT_ALGO_CONFIG_ID           ? held->id
                          : attribute == CUBLASLT_ALGO_CONFIG_SPLITK_NUM ? held->parts
                                                                         : static_cast<int32_t>(held->reduction);
    std::memcpy(value, &found, sizeof found);
    if (written != nullptr) *written = sizeof found;
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout,
                              const void* beta, const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t* algo, void* workspace,
                              size_t, cudaStream_t stream) {
  return cublas_call([&](Lock&) {
    const bool missing = !handle || !desc || !alpha || !a || !a_layout || !b || !b_layout || !beta || !c_layout || !d;
    if (missing || !d_layout) return CUBLAS_STATUS_INVALID_VALUE;
    ProductCall call{read_from<ProductDesc>(desc), read_from<MatrixLayout>(a_layout), read_from<MatrixLayout>(b_layout),
                     read_from<MatrixLayout>(c_layout), read_from<MatrixLayout>(d_layout)};
    const cublasStatus_t status = product_status(call.desc, call.a, call.b, call.c, call.d);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    const std::optional<ProductAlgo> algorithm = algorithm_in(algo == nullptr ? first_algorithm() : *algo);
    if (!algorithm) return CUBLAS_STATUS_INVALID_VALUE;
    call.algorithm = *algorithm;
    call.alpha = number_at(alpha, call.desc.scale);
    call.beta = number_at(beta, call.desc.scale);
    call.a_data = a;
    call.b_data = b;
    call.c_data = c;
    call.d_data = d;
    call.workspace = workspace;
    return issue_product(stream, call);
  });
}

}  // extern "C"
