#pragma once

#include <cstdint>

#include "sim/kernels/isa.h"

namespace isoshard::sim {

/// to[i * to_row + j] = from[j * from_row + i] for i < rows, j < columns: the transpose of words, whatever they mean.
/// The arrays must not overlap.
void transpose_words(Isa isa, std::int64_t rows, std::int64_t columns, const std::uint8_t* from, std::int64_t from_row,
                     std::uint8_t* to, std::int64_t to_row);
void transpose_words(Isa isa, std::int64_t rows, std::int64_t columns, const std::uint16_t* from, std::int64_t from_row,
                     std::uint16_t* to, std::int64_t to_row);
void transpose_words(Isa isa, std::int64_t rows, std::int64_t columns, const std::uint32_t* from, std::int64_t from_row,
                     std::uint32_t* to, std::int64_t to_row);
void transpose_words(Isa isa, std::int64_t rows, std::int64_t columns, const std::uint64_t* from, std::int64_t from_row,
                     std::uint64_t* to, std::int64_t to_row);

}  // namespace isoshard::sim
