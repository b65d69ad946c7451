#pragma once

#include <cstdint>
#include <memory>

#include "core/plan/calls/call_list.h"
#include "core/value/dtype.h"
#include "exec/backend.h"

namespace isoshard::bench {

/// What is written by hand, as who knows CUDA, cuBLASLt and NCCL would, to be timed beside what exec issues.
struct HandWork {
  enum class Kind : uint8_t {
    tp_mlp,    ///< the forward step of an MLP: x, W1, b1, W2, b2 to y
    copy,      ///< device to device, of `bytes`
    product,   ///< x times w, by the fastest algorithm that cuBLASLt offers
    launches,  ///< of kernels that do nothing
  };
  Kind kind = Kind::tp_mlp;
  DType dtype = DType::f32;  ///< of all arrays: f32 or bf16
  int64_t times = 1;         ///< in a step, one behind the other
  int64_t bytes = 0;
};

/// A rank that does such work. Inputs and outputs have the places of a list, which are names here: its memory is its
/// own.
class HandRank : public exec::Rank {
 public:
  /// What rank 0 gives, on all ranks.
  virtual exec::Outcome<exec::MeetingPoint> share(const exec::MeetingPoint& given) = 0;
};

/// A library with work that is written by hand.
class ByHand {
 public:
  virtual ~ByHand() = default;
  virtual exec::Outcome<exec::MeetingPoint> meeting_point() = 0;
  /// Makes a rank for the boxes of a list, whose calls it does not look at.
  virtual exec::Outcome<std::unique_ptr<HandRank>> open(const HandWork& work, const calls::CallList& list,
                                                        const exec::Seat& seat, const exec::RankOptions& options) = 0;
};

/// The one function of such a library, under this name as a C symbol.
using ByHandFunction = ByHand*();
inline constexpr const char* kByHandSymbol = "isoshard_by_hand";

}  // namespace isoshard::bench
