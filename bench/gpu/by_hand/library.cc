// The library of what is written by hand: CUDA's where it is compiled with the headers of CUDA, that of the stand-in
// where it is compiled with those of tests/standin.
#include <nccl.h>

#include <cstring>
#include <memory>

#include "bench/gpu/by_hand/by_hand.h"
#include "bench/gpu/by_hand/repeated.h"
#include "bench/gpu/by_hand/status.h"
#include "bench/gpu/by_hand/tp_mlp.h"

namespace isoshard::bench {
namespace {

class Library final : public ByHand {
 public:
  exec::Outcome<exec::MeetingPoint> meeting_point() override {
    return guarded([] {
      ncclUniqueId id;
      require(ncclGetUniqueId(&id), "ncclGetUniqueId");
      exec::MeetingPoint point;
      static_assert(sizeof id == sizeof point);
      std::memcpy(point.data(), &id, sizeof id);
      return point;
    });
  }

  exec::Outcome<std::unique_ptr<HandRank>> open(const HandWork& work, const calls::CallList& list,
                                                const exec::Seat& seat, const exec::RankOptions& options) override {
    return guarded([&]() -> std::unique_ptr<HandRank> {
      switch (work.kind) {
        case HandWork::Kind::tp_mlp:
          return std::make_unique<TpMlp>(work, list, seat, options);
        case HandWork::Kind::copy:
          return std::make_unique<Copies>(work, list, seat, options);
        case HandWork::Kind::product:
          return std::make_unique<RepeatedProduct>(work, list, seat, options);
        case HandWork::Kind::launches:
          return std::make_unique<Launches>(work, list, seat, options);
      }
      return nullptr;
    });
  }
};

}  // namespace
}  // namespace isoshard::bench

/// See kByHandSymbol.
extern "C" __attribute__((visibility("default"))) isoshard::bench::ByHand* isoshard_by_hand() {
  static isoshard::bench::Library library;
  return &library;
}
