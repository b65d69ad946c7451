// Products of the stand-in's cuBLASLt against loops in f64.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/scalar/narrow.h"
#include "tests/standin/standin_testing.h"

namespace isoshard::standin_products_test {
namespace {

using standin_testing::Buffer;
using standin_testing::new_stream;
using standin_testing::run_threads;

constexpr uint64_t kM = 3, kN = 2, kK = 4, kBatch = 2;

struct Case {
  cudaDataType_t in = CUDA_R_32F, out = CUDA_R_32F;
  bool row_major = false, transpose_a = false, transpose_b = false;
  float beta = 0;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
};

float a_at(uint64_t batch, uint64_t i, uint64_t k) { return static_cast<float>(batch + i * 2) - static_cast<float>(k); }
float b_at(uint64_t batch, uint64_t k, uint64_t j) {
  return static_cast<float>(batch * 2 + j) - static_cast<float>(k) / 2;
}
float bias_at(uint64_t i) { return static_cast<float>(i) / 4; }

uint64_t place(bool row_major, bool transposed, uint64_t rows, uint64_t columns, uint64_t i, uint64_t j) {
  return row_major != transposed ? i * columns + j : j * rows + i;
}

/// Elements of a dtype of these bytes.
class Elements {
 public:
  Elements(cudaDataType_t type, size_t count) : type_(type), bytes_(count * width()) {}
  void set(size_t i, float value) {
    if (type_ == CUDA_R_64F) return put(i, static_cast<double>(value));
    if (type_ == CUDA_R_32F) return put(i, value);
    if (type_ == CUDA_R_16F) return put(i, scalar::narrow_bits<scalar::F16>(scalar::narrowed<scalar::F16>(value)));
    put(i, scalar::narrow_bits<scalar::Bf16>(scalar::narrowed<scalar::Bf16>(value)));
  }
  double get(size_t i) const {
    if (type_ == CUDA_R_64F) return take<double>(i);
    if (type_ == CUDA_R_32F) return static_cast<double>(take<float>(i));
    if (type_ == CUDA_R_16F) return static_cast<double>(scalar::widened<scalar::F16>(take<uint16_t>(i)));
    return static_cast<double>(scalar::widened<scalar::Bf16>(take<uint16_t>(i)));
  }
  std::vector<char>& bytes() { return bytes_; }

 private:
  size_t width() const { return type_ == CUDA_R_64F ? 8 : type_ == CUDA_R_32F ? 4 : 2; }
  template <class T>
  void put(size_t i, T value) {
    std::memcpy(bytes_.data() + i * sizeof value, &value, sizeof value);
  }
  template <class T>
  T take(size_t i) const {
    T value;
    std::memcpy(&value, bytes_.data() + i * sizeof value, sizeof value);
    return value;
  }
  cudaDataType_t type_;
  std::vector<char> bytes_;
};

cublasLtMatrixLayout_t layout(cudaDataType_t type, bool row_major, uint64_t rows, uint64_t columns) {
  cublasLtMatrixLayout_t made = nullptr;
  const auto leading = static_cast<int64_t>(row_major ? columns : rows);
  EXPECT_EQ(cublasLtMatrixLayoutCreate(&made, type, rows, columns, leading), CUBLAS_STATUS_SUCCESS);
  const int32_t order = row_major ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL, batch = kBatch;
  const auto stride = static_cast<int64_t>(rows * columns);
  cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order);
  cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch);
  cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride);
  return made;
}

cublasLtMatmulDesc_t descriptor(const Case& c, const void* bias) {
  cublasLtMatmulDesc_t made = nullptr;
  const bool wide = c.in == CUDA_R_64F;
  EXPECT_EQ(
      cublasLtMatmulDescCreate(&made, wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F, wide ? CUDA_R_64F : CUDA_R_32F),
      CUBLAS_STATUS_SUCCESS);
  const int32_t ta = c.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N, tb = c.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  cublasLtMatmulDescSetAttribute(made, CUBLASLT_MATMUL_DESC_TRANSA, &ta, sizeof ta);
  cublasLtMatmulDescSetAttribute(made, CUBLASLT_MATMUL_DESC_TRANSB, &tb, sizeof tb);
  cublasLtMatmulDescSetAttribute(made, CUBLASLT_MATMUL_DESC_EPILOGUE, &c.epilogue, sizeof c.epilogue);
  cublasLtMatmulDescSetAttribute(made, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias);
  return made;
}

double expected(const Case& c, uint64_t batch, uint64_t i, uint64_t j) {
  double value = c.beta;  // the old result is all ones
  for (uint64_t k = 0; k < kK; ++k) value += static_cast<double>(a_at(batch, i, k)) * b_at(batch, k, j);
  if ((c.epilogue & CUBLASLT_EPILOGUE_BIAS) != 0) value += bias_at(i);
  if ((c.epilogue & CUBLASLT_EPILOGUE_RELU) != 0) return std::fmax(value, 0);
  if ((c.epilogue & CUBLASLT_EPILOGUE_GELU) == 0) return value;
  return 0.5 * value * (1 + std::tanh(0.7978845608028654 * (value + 0.044715 * value * value * value)));
}

/// The status of the heuristic; where that is good the product is compared.
cublasStatus_t check(const Case& c) {
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  run_threads(1, {}, [&](int) {
    const cudaStream_t stream = new_stream();
    Elements a(c.in, kBatch * kM * kK), b(c.in, kBatch * kK * kN), d(c.out, kBatch * kM * kN), bias(c.out, kM);
    for (uint64_t batch = 0; batch < kBatch; ++batch) {
      for (uint64_t k = 0; k < kK; ++k) {
        for (uint64_t i = 0; i < kM; ++i) {
          a.set(batch * kM * kK + place(c.row_major, c.transpose_a, kM, kK, i, k), a_at(batch, i, k));
        }
        for (uint64_t j = 0; j < kN; ++j) {
          b.set(batch * kK * kN + place(c.row_major, c.transpose_b, kK, kN, k, j), b_at(batch, k, j));
        }
      }
    }
    for (size_t i = 0; i < kBatch * kM * kN; ++i) d.set(i, 1);
    for (size_t i = 0; i < kM; ++i) bias.set(i, bias_at(i));
    const Buffer<char> a_data(a.bytes()), b_data(b.bytes()), d_data(d.bytes()), bias_data(bias.bytes());
    const auto la = c.transpose_a ? layout(c.in, c.row_major, kK, kM) : layout(c.in, c.row_major, kM, kK);
    const auto lb = c.transpose_b ? layout(c.in, c.row_major, kN, kK) : layout(c.in, c.row_major, kK, kN);
    const auto ld = layout(c.out, c.row_major, kM, kN);
    const cublasLtMatmulDesc_t desc = descriptor(c, bias_data.data());
    cublasLtHandle_t handle = nullptr;
    cublasLtMatmulPreference_t preference = nullptr;
    cublasLtMatmulHeuristicResult_t way{};
    int found = 0;
    EXPECT_EQ(cublasLtCreate(&handle), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cublasLtMatmulPreferenceCreate(&preference), CUBLAS_STATUS_SUCCESS);
    status = cublasLtMatmulAlgoGetHeuristic(handle, desc, la, lb, ld, ld, preference, 1, &way, &found);
    const double one = 1, beta = static_cast<double>(c.beta);
    const float one_f32 = 1;
    const bool wide = c.in == CUDA_R_64F;
    const void* const alphas = wide ? static_cast<const void*>(&one) : &one_f32;
    const void* const betas = wide ? static_cast<const void*>(&beta) : &c.beta;
    EXPECT_EQ(cublasLtMatmul(handle, desc, alphas, a_data.data(), la, b_data.data(), lb, betas, d_data.data(), ld,
                             d_data.data(), ld, &way.algo, nullptr, 0, stream),
              status);
    d.bytes() = d_data.values(stream);
    for (uint64_t batch = 0; status == CUBLAS_STATUS_SUCCESS && batch < kBatch; ++batch) {
      for (uint64_t i = 0; i < kM; ++i) {
        for (uint64_t j = 0; j < kN; ++j) {
          const double value = d.get(batch * kM * kN + place(c.row_major, false, kM, kN, i, j));
          const double wanted = expected(c, batch, i, j);
          EXPECT_NEAR(value, wanted, std::fabs(wanted) / 200 + 1e-5);
        }
      }
    }
    cublasLtMatmulDescDestroy(desc);
    for (const cublasLtMatrixLayout_t one_layout : {la, lb, ld}) cublasLtMatrixLayoutDestroy(one_layout);
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtDestroy(handle);
  });
  EXPECT_EQ(standin::problems(), std::vector<std::string>());
  return status;
}

TEST(StandinProducts, AreRightInAllOrders) {
  for (const bool row_major : {false, true}) {
    for (const bool a : {false, true}) {
      for (const bool b : {false, true}) {
        for (const float beta : {0.0F, 1.0F}) {
          EXPECT_EQ(check({CUDA_R_32F, CUDA_R_32F, row_major, a, b, beta}), CUBLAS_STATUS_SUCCESS);
        }
      }
    }
  }
}

TEST(StandinProducts, AreRightInAllDtypes) {
  for (const auto& [in, out] : std::vector<std::pair<cudaDataType_t, cudaDataType_t>>{{CUDA_R_64F, CUDA_R_64F},
                                                                                      {CUDA_R_16BF, CUDA_R_16BF},
                                                                                      {CUDA_R_16BF, CUDA_R_32F},
                                                                                      {CUDA_R_16F, CUDA_R_16F},
                                                                                      {CUDA_R_16F, CUDA_R_32F}}) {
    EXPECT_EQ(check({in, out, false, true, false, 0}), CUBLAS_STATUS_SUCCESS);
  }
}

TEST(StandinProducts, HaveEpilogues) {
  for (const cublasLtEpilogue_t epilogue : {CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS,
                                            CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS}) {
    EXPECT_EQ(check({CUDA_R_32F, CUDA_R_32F, false, false, false, 0, epilogue}), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(check({CUDA_R_32F, CUDA_R_32F, true, false, false, 0, epilogue}), CUBLAS_STATUS_NOT_SUPPORTED);
  }
}

/// What the stand-in says of an algorithm for a product of two vectors: its scheme where it takes it.
std::optional<uint32_t> scheme_of(const cublasLtMatmulAlgo_t& algorithm) {
  std::optional<uint32_t> scheme;
  run_threads(1, {}, [&](int) {
    const auto one = layout(CUDA_R_32F, false, 1, 1);
    const cublasLtMatmulDesc_t desc = descriptor({}, nullptr);
    cublasLtHandle_t handle = nullptr;
    EXPECT_EQ(cublasLtCreate(&handle), CUBLAS_STATUS_SUCCESS);
    cublasLtMatmulHeuristicResult_t checked{};
    const cublasStatus_t status = cublasLtMatmulAlgoCheck(handle, desc, one, one, one, one, &algorithm, &checked);
    uint32_t found = 0;
    size_t written = 0;
    const cublasStatus_t asked = cublasLtMatmulAlgoConfigGetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME,
                                                                      &found, sizeof found, &written);
    EXPECT_EQ(status, asked);
    if (status == CUBLAS_STATUS_SUCCESS) scheme = found;
    cublasLtMatmulDescDestroy(desc);
    cublasLtMatrixLayoutDestroy(one);
    cublasLtDestroy(handle);
  });
  return scheme;
}

TEST(StandinProducts, HaveThreeAlgorithms) {
  cublasLtMatmulAlgo_t algorithm{};
  EXPECT_EQ(scheme_of(algorithm), std::nullopt);
  for (const auto& [number, scheme] :
       std::vector<std::pair<uint64_t, uint32_t>>{{1, CUBLASLT_REDUCTION_SCHEME_NONE},
                                                  {2, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE},
                                                  {3, CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE}}) {
    algorithm.data[0] = number;
    EXPECT_EQ(scheme_of(algorithm), scheme);
  }
  algorithm.data[0] = 4;
  EXPECT_EQ(scheme_of(algorithm), std::nullopt);
  algorithm.data[0] = algorithm.data[7] = 1;
  EXPECT_EQ(scheme_of(algorithm), std::nullopt);
}

TEST(StandinProducts, OtherDtypesAreRefused) {
  EXPECT_EQ(check({CUDA_R_16BF, CUDA_R_16F}), CUBLAS_STATUS_NOT_SUPPORTED);
}

}  // namespace
}  // namespace isoshard::standin_products_test
