#pragma once  // internal

#include <cublasLt.h>

#include <cstddef>
#include <memory>

#include "bench/gpu/by_hand/matrix_product.h"
#include "bench/gpu/by_hand/stream_rank.h"

namespace isoshard::bench {

/// Copies of bytes of the device, by the driver.
class Copies final : public StreamRank {
 public:
  Copies(const HandWork& work, const calls::CallList& list, const exec::Seat& seat, const exec::RankOptions& options);

 protected:
  void issue() override;

 private:
  std::byte* from_;
  std::byte* to_;
};

/// The product of input 0 and input 1.
class RepeatedProduct final : public StreamRank {
 public:
  RepeatedProduct(const HandWork& work, const calls::CallList& list, const exec::Seat& seat,
                  const exec::RankOptions& options);
  ~RepeatedProduct() override;

 protected:
  void issue() override;

 private:
  cublasLtHandle_t handle_ = nullptr;
  std::unique_ptr<MatrixProduct> product_;
};

/// Launches of a kernel that does nothing.
class Launches final : public StreamRank {
 public:
  using StreamRank::StreamRank;

 protected:
  void issue() override;
};

}  // namespace isoshard::bench
