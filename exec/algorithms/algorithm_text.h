#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/support/result_fwd.h"
#include "exec/algorithms/product_algorithm.h"

namespace isoshard::exec {

/// Algorithms as text: a line that names the format, then a line for each.
std::string algorithms_text(std::span<const ProductAlgorithm> algorithms);

/// The algorithms in such a text, entry i of line i + 2. Error `I-algorithms` at the first place that is something
/// else.
Result<std::vector<ProductAlgorithm>> parse_algorithms(const std::shared_ptr<const SourceFile>& file);

}  // namespace isoshard::exec
