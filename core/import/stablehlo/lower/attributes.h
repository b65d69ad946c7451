#pragma once

#include "core/import/stablehlo/lower/lowering.h"

/// What ops have as attributes, whichever way it is printed: `dims = [0]`, `array<i64: 0>`, `dense<0> : tensor<1xi64>`.
namespace isoshard::stablehlo {

/// Whole numbers; nothing where the attribute is not there.
std::optional<std::vector<int64_t>> find_integers(const Lowering& lowering, const Operation& op, std::string_view key);
/// The same, an error where it is not there.
std::vector<int64_t> integers(const Lowering& lowering, const Operation& op, std::string_view key);
/// Under one of two names, the pretty and the generic one.
std::vector<int64_t> integers(const Lowering& lowering, const Operation& op, std::string_view pretty,
                              std::string_view generic);
std::vector<int64_t> integers_of(const Lowering& lowering, const Operation& op, const Attribute& attribute);
int64_t integer(const Lowering& lowering, const Operation& op, std::string_view key);
/// Rows of a `dense<[[...], ...]>` matrix.
std::vector<std::vector<int64_t>> rows(const Lowering& lowering, const Operation& op, std::string_view key);
/// The elements of `dense<...>`, as many as its type has, or one for all.
ConstantArray elements_of(const Lowering& lowering, const Operation& op, const Attribute& elements);

}  // namespace isoshard::stablehlo
