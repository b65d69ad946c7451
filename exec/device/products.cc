// Products of matrices by cuBLASLt: each kind that the list has is prepared once (prepared_product.h), before the first
// step. An algorithm means something to a model of a device and a version of the library only, so others that are known
// are passed over. Each stream has a workspace of its own, since products of two streams may run at the same time.
// Cost: that of preparing, per kind; a look-up and the launch afterwards.
#include "exec/device/products.h"

#include <algorithm>

#include "exec/device/status.h"

namespace isoshard::exec {
namespace {

/// Quotes and what is below a blank would end a text of a file.
AlgorithmHost host_of(const cudaDeviceProp& device) {
  AlgorithmHost host;
  host.version = cublasLtGetVersion();
  for (size_t i = 0; i + 1 < host.device.size() && i < sizeof device.name && device.name[i] != '\0'; ++i) {
    const char byte = device.name[i];
    host.device[i] = byte == '"' || (byte > 0 && byte < ' ') ? '?' : byte;
  }
  return host;
}

}  // namespace

Products::~Products() {
  prepared_.clear();
  for (void* const workspace : workspaces_) {
    if (workspace != nullptr) cudaFree(workspace);
  }
  if (handle_ != nullptr) cublasLtDestroy(handle_);
}

Outcome<> Products::make_workspace(uint32_t stream, const Issuer& issuer) {
  void*& workspace = workspaces_[stream];
  if (workspace != nullptr) return {};
  ISOSHARD_CUDA(cudaMalloc(&workspace, PreparedProduct::kWorkspace));
  if (issuer.recorder() != nullptr) issuer.recorder()->made_workspace(workspace, stream);
  return {};
}

Outcome<> Products::prepare(const calls::CallList& list, std::byte* memory, int device, const KnownAlgorithms& known,
                            const Issuer& issuer) {
  memory_ = memory;
  workspaces_.assign(list.streams.size(), nullptr);
  for (const calls::Call& call : list.calls) {
    const auto* product = std::get_if<calls::Product>(&call.what);
    if (product == nullptr) continue;
    if (handle_ == nullptr) {
      if (Outcome<> made = require(cublasLtCreate(&handle_), "cublasLtCreate"); !made) return made;
      cudaDeviceProp properties{};
      ISOSHARD_CUDA(cudaGetDeviceProperties(&properties, device));
      host_ = host_of(properties);
    }
    if (Outcome<> made = make_workspace(call.stream, issuer); !made) return made;
    const auto [one, is_new] = prepared_.try_emplace(key_of(*product));
    if (!is_new) continue;
    if (Outcome<> done = one->second.describe(*product, memory); !done) return done;
    if (Outcome<> done = choose(one->first.first, known, one->second); !done) return done;
  }
  return {};
}

Products::Key Products::key_of(const calls::Product& product) {
  return {kind_of(product), product.epilogue == calls::Epilogue::bias ? product.added : 0};
}

Outcome<> Products::choose(const ProductKind& kind, const KnownAlgorithms& known, PreparedProduct& prepared) {
  for (const UsedAlgorithm& one : used_) {  // the same kind with another bias
    if (one.algorithm.kind == kind && prepared.take(handle_, one.algorithm.words)) return {};
  }
  UsedAlgorithm used{{host_, kind, {}}, AlgorithmOrigin::chosen};
  const auto is_for_this = [&](const ProductAlgorithm& one) { return one.kind == kind && one.host == host_; };
  if (known != nullptr) {
    const auto found = std::find_if(known->begin(), known->end(), is_for_this);
    if (found != known->end()) {
      used.origin = prepared.take(handle_, found->words) ? AlgorithmOrigin::known : AlgorithmOrigin::refused;
    }
  }
  if (used.origin != AlgorithmOrigin::known) {
    if (Outcome<> chosen = prepared.choose(handle_, kind); !chosen) return chosen;
  }
  used.algorithm.words = prepared.words();
  used_.push_back(used);
  return {};
}

Outcome<> Products::issue(const calls::Product& product, uint32_t number, cudaStream_t stream, Issuer& issuer) const {
  const PreparedProduct& prepared = prepared_.at(key_of(product));
  const bool is_added = product.epilogue == calls::Epilogue::residual;
  const float one = 1, beta = is_added ? 1 : 0;
  const double double_one = 1, double_beta = is_added ? 1 : 0;
  const bool doubles = product.operands == DType::f64;
  std::byte* const result = memory_ + product.c.place;
  const std::byte* const added = is_added ? memory_ + product.added : result;
  return require(
      issuer.multiply(handle_, prepared.operation(), doubles ? static_cast<const void*>(&double_one) : &one,
                      {memory_ + product.b.place, prepared.left()}, {memory_ + product.a.place, prepared.right()},
                      doubles ? static_cast<const void*>(&double_beta) : &beta, {added, prepared.result()}, result,
                      prepared.result(), &prepared.algorithm(), workspaces_[number], prepared.workspace(), stream),
      "cublasLtMatmul");
}

}  // namespace isoshard::exec
