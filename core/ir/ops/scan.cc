#include "core/ir/ops/scan.h"

#include <limits>

#include "core/support/check.h"

namespace isoshard {

bool Scan::check_operands(const InferContext& context) const {
  constexpr int64_t kMostTrips = std::numeric_limits<int32_t>::max();  // the iteration is an i32
  if (trips < 0 || trips > kMostTrips) {
    context.error("T-scan", "`trips` is " + std::to_string(trips) + "; expected 0 to " + std::to_string(kMostTrips));
    return false;
  }
  for (size_t i = static_cast<size_t>(carries); i < context.operand_count(); ++i) {
    const TensorType& stacked = context.operand(i);
    if (!stacked.shape.empty() && stacked.shape[0] == trips) continue;
    context.error("T-scan", "the stacked input " + std::to_string(i - static_cast<size_t>(carries)) + " is " +
                                to_string(stacked) + "; expected " + std::to_string(trips) +
                                " slices along dimension 0, one per iteration");
    return false;
  }
  return true;
}

TensorType Scan::slice(TensorType stacked) {
  stacked.shape.erase(stacked.shape.begin());
  return stacked;
}

TensorType Scan::stack(TensorType part) const {
  part.shape.insert(part.shape.begin(), trips);
  return part;
}

Inferred Scan::infer(const InferContext&) const {
  internal_error("scan", "a scan has a region: Builder::scan makes it", __FILE__, __LINE__);
}

void Scan::infer_states(StateContext&) const {
  internal_error("scan", "a scan has a region: Builder::scan makes it", __FILE__, __LINE__);
}

}  // namespace isoshard
