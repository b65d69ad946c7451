// The forward step of a tensor-parallel MLP by hand: two products, an activation in place and, with several ranks, one
// all_reduce, all on one stream, since each waits for the one before. The first bias is added by the product; with one
// rank so are the second one and the residual, else a kernel adds both behind the sum. The sum is NCCL's, in the dtype
// of the result. Nothing is copied: weights are read where they lie. Cost: 4 rows * features * hidden flops.
#include "bench/gpu/by_hand/tp_mlp.h"

#include <cstring>
#include <stdexcept>

#include "bench/gpu/by_hand/kernels.h"
#include "bench/gpu/by_hand/status.h"

namespace isoshard::bench {
namespace {

enum Input : size_t { kX, kW1, kB1, kW2, kB2 };

}  // namespace

TpMlp::TpMlp(const HandWork& work, const calls::CallList& list, const exec::Seat& seat,
             const exec::RankOptions& options)
    : StreamRank(work, list, seat, options),
      rows_(size(kX, 0)),
      features_(size(kX, 1)),
      hidden_(size(kW1, 1)),
      ranks_(seat.ranks),
      a_(allocate(rows_ * hidden_ * element_bytes())) {
  if (features_ * element_bytes() % 16 != 0 || hidden_ * element_bytes() % 16 != 0) {
    throw std::runtime_error("rows of " + std::to_string(features_) + " and " + std::to_string(hidden_) +
                             " elements; expected multiples of 16 bytes");
  }
  require(cublasLtCreate(&handle_), "cublasLtCreate");
  std::byte* const workspace = allocate(static_cast<int64_t>(MatrixProduct::kWorkspace));
  fill_inputs();
  const ProductArrays up{input(kX), input(kW1), a_, input(kB1), nullptr};
  up_ = std::make_unique<MatrixProduct>(handle_, shape(hidden_, features_), up, workspace, stream());
  ProductArrays down{a_, input(kW2), output(0), nullptr, nullptr};
  if (ranks_ == 1) down.bias = input(kB2), down.added = input(kX);
  down_ = std::make_unique<MatrixProduct>(handle_, shape(features_, hidden_), down, workspace, stream());
  if (ranks_ == 1) return;
  ncclUniqueId id;
  std::memcpy(&id, seat.meeting.data(), sizeof id);
  require(ncclCommInitRank(&all_, static_cast<int>(ranks_), id, static_cast<int>(seat.rank)), "ncclCommInitRank");
}

TpMlp::~TpMlp() {
  if (all_ != nullptr) ncclCommAbort(all_);
  up_.reset();
  down_.reset();
  if (handle_ != nullptr) cublasLtDestroy(handle_);
}

ProductShape TpMlp::shape(int64_t n, int64_t k) const { return {work().dtype, rows_, n, k}; }

void TpMlp::issue() {
  up_->issue(stream());
  apply_silu(work().dtype, a_, rows_ * hidden_, stream());
  down_->issue(stream());
  if (ranks_ == 1) return;
  const ncclDataType_t type = work().dtype == DType::bf16 ? ncclBfloat16 : ncclFloat32;
  const int64_t count = rows_ * features_;
  require(ncclAllReduce(output(0), output(0), static_cast<size_t>(count), type, ncclSum, all_, stream()),
          "ncclAllReduce");
  add_bias_and_residual(work().dtype, output(0), input(kB2), input(kX), count, features_, stream());
}

exec::Outcome<exec::MeetingPoint> TpMlp::share(const exec::MeetingPoint& given) {
  if (ranks_ == 1) return given;
  return guarded([&] {
    std::byte* const bytes = allocate(static_cast<int64_t>(given.size()));
    require(cudaMemcpy(bytes, given.data(), given.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    require(ncclBroadcast(bytes, bytes, given.size(), ncclUint8, 0, all_, stream()), "ncclBroadcast");
    wait();
    exec::MeetingPoint shared;
    require(cudaMemcpy(shared.data(), bytes, shared.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return shared;
  });
}

exec::Outcome<> TpMlp::finish() {
  return guarded([this] {
    if (all_ == nullptr) return;
    drop_graph();  // it holds on to its communicator
    require(ncclCommFinalize(all_), "ncclCommFinalize");
    require(ncclCommDestroy(all_), "ncclCommDestroy");
    all_ = nullptr;
  });
}

}  // namespace isoshard::bench
