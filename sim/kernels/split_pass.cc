// A pass over large arrays is cut for the workers that have nothing to do, in runs of pieces that are long beside
// waking and waiting. Elements do not meet, so no bit depends on the cut. Cost: a call per piece.
#include "sim/kernels/split_pass.h"

#include <algorithm>

#include "sim/kernels/helpers.h"

namespace isoshard::sim {
namespace {

constexpr Index kPiecesAtOnce = 32;

}  // namespace

void split_pass(Index n, Index piece, const std::function<void(Index begin, Index size)>& pass) {
  const auto run = [&](Index begin, Index end) {
    for (Index i = begin; i < end; i += piece) pass(i, std::min(piece, end - i));
  };
  const Index length = kPiecesAtOnce * piece;
  Helpers* const helpers = Helpers::here();
  if (helpers == nullptr || n < 2 * length || helpers->spare() <= 0) return run(0, n);
  helpers->share((n + length - 1) / length, [&](Index i) { run(i * length, std::min(n, (i + 1) * length)); });
}

}  // namespace isoshard::sim
