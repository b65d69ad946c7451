#pragma once

#include <optional>

#include "core/plan/calls/fusion/chain.h"

namespace isoshard::calls {

/// A product whose value is written nowhere yet.
struct HeldProduct {
  Held value;
  Product product;
};

/// Whether memory that the product reads and memory between these places have bytes in common.
bool product_reads(const Product& product, const Extent& extent);
/// All bytes of what the product writes.
Extent written_by(const Product& product);

/// The product that writes `result`, which `chain` makes of the product's value, itself: with a bias, or with a matrix
/// that is added. Nothing: cuBLASLt has no such epilogue, or not with the bound that `run --check` has (epilogue.cc).
std::optional<Product> with_epilogue(const HeldProduct& held, const Chain& chain, const Held& result);

}  // namespace isoshard::calls
