#pragma once  // internal

#include <cublasLt.h>
#include <nccl.h>

#include <memory>
#include <optional>

#include "bench/gpu/by_hand/matrix_product.h"
#include "bench/gpu/by_hand/stream_rank.h"

namespace isoshard::bench {

/// y = silu(x W1 + b1) W2 + b2 + x with the hidden features split over the ranks.
class TpMlp final : public StreamRank {
 public:
  TpMlp(const HandWork& work, const calls::CallList& list, const exec::Seat& seat, const exec::RankOptions& options);
  ~TpMlp() override;

  exec::Outcome<exec::MeetingPoint> share(const exec::MeetingPoint& given) override;
  exec::Outcome<> finish() override;

 protected:
  void issue() override;

 private:
  ProductShape shape(int64_t n, int64_t k) const;

  int64_t rows_, features_, hidden_;  ///< of this rank
  int64_t ranks_;
  std::byte* a_;  ///< the hidden activations
  cublasLtHandle_t handle_ = nullptr;
  ncclComm_t all_ = nullptr;
  std::unique_ptr<MatrixProduct> up_, down_;
};

}  // namespace isoshard::bench
