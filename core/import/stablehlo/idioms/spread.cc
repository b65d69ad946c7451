// Padding between elements, which the language has around arrays only: each element in a row of its own, padded, and
// the rows joined. Cost: a few ops for each dimension.
#include "core/import/stablehlo/idioms/spread.h"

#include <utility>

namespace isoshard::stablehlo {

ValueId spread(Lowering& lowering, const Operation& op, ValueId x, ValueId value,
               const std::vector<int64_t>& interior) {
  for (size_t d = 0; d < interior.size(); ++d) {
    Shape shape = lowering.builder().type(x).tensor.shape;
    if (interior[d] == 0 || shape[d] < 2) continue;
    Shape rows = shape, joined = shape;
    rows.insert(rows.begin() + static_cast<ptrdiff_t>(d) + 1, 1);
    joined[d] = shape[d] * (interior[d] + 1);
    Pad pad{std::vector<int64_t>(rows.size()), std::vector<int64_t>(rows.size())};
    pad.high[d + 1] = interior[d];
    x = lowering.append(Reshape{rows}, {x}, op);
    x = lowering.append(pad, {x, value}, op);
    x = lowering.append(Reshape{joined}, {x}, op);
    Slice cut{std::vector<int64_t>(shape.size()), joined, {}};
    cut.limit[d] = joined[d] - interior[d];
    x = lowering.append(cut, {x}, op);
  }
  return x;
}

}  // namespace isoshard::stablehlo
