// What single calls of exec are measured against: a copy of as many bytes as a kernel reads and writes, the fastest
// algorithm of a product, and kernels that do nothing. Cost: that of the calls, and the memory of a copy.
#include "bench/gpu/by_hand/repeated.h"

#include "bench/gpu/by_hand/kernels.h"
#include "bench/gpu/by_hand/status.h"

namespace isoshard::bench {

Copies::Copies(const HandWork& work, const calls::CallList& list, const exec::Seat& seat,
               const exec::RankOptions& options)
    : StreamRank(work, list, seat, options), from_(allocate(work.bytes)), to_(allocate(work.bytes)) {
  require(cudaMemset(from_, 0, static_cast<size_t>(work.bytes)), "cudaMemset");
}

void Copies::issue() {
  for (int64_t i = 0; i < work().times; ++i) {
    require(cudaMemcpyAsync(to_, from_, static_cast<size_t>(work().bytes), cudaMemcpyDeviceToDevice, stream()),
            "cudaMemcpyAsync");
  }
}

RepeatedProduct::RepeatedProduct(const HandWork& work, const calls::CallList& list, const exec::Seat& seat,
                                 const exec::RankOptions& options)
    : StreamRank(work, list, seat, options) {
  require(cublasLtCreate(&handle_), "cublasLtCreate");
  fill_inputs();
  const ProductShape shape{work.dtype, size(0, 0), size(1, 1), size(0, 1)};
  product_ = std::make_unique<MatrixProduct>(handle_, shape, ProductArrays{input(0), input(1), output(0), {}, {}},
                                             allocate(static_cast<int64_t>(MatrixProduct::kWorkspace)), stream());
}

RepeatedProduct::~RepeatedProduct() {
  product_.reset();
  if (handle_ != nullptr) cublasLtDestroy(handle_);
}

void RepeatedProduct::issue() {
  for (int64_t i = 0; i < work().times; ++i) product_->issue(stream());
}

void Launches::issue() {
  for (int64_t i = 0; i < work().times; ++i) do_nothing(stream());
  require(cudaGetLastError(), "a launch");
}

}  // namespace isoshard::bench
