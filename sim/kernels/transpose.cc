// Transposes of arrays of words by square blocks that stay in registers. A block of N rows is N vectors; interleaving
// row i with row i + N/2 moves one bit of an element's place from its column to its row, so that log2 N such steps
// transpose it. The steps are shuffles with constant places, which the compiler makes for each instruction set. Blocks
// are as wide as a cache line where vectors are, so that a line of either side is touched once, and rows of the source,
// which no hardware prefetcher follows across pages, are fetched ahead. Cost: one pass, log2 N shuffles per vector.
#include "sim/kernels/transpose.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "core/support/host_device.h"
#include "sim/kernels/dispatch.h"

namespace isoshard::sim {
namespace {

/// Square blocks of kSize words of type T.
template <typename T, int kSize>
struct WordBlock {
  using Vector __attribute__((vector_size(sizeof(T) * static_cast<std::size_t>(kSize)))) = T;

  /// The elements of a and b in turn: the first halves of both, then the second ones.
  template <int... kPlaces>
  ISOSHARD_SCALAR static void interleave(const Vector& a, const Vector& b, Vector& low, Vector& high,
                                         std::integer_sequence<int, kPlaces...>) {
    low = __builtin_shufflevector(a, b, (kPlaces / 2 + kPlaces % 2 * kSize)...);
    high = __builtin_shufflevector(a, b, (kSize / 2 + kPlaces / 2 + kPlaces % 2 * kSize)...);
  }

  /// A whole block; `ahead` is how many words after each row's place the next one to be fetched lies.
  ISOSHARD_SCALAR static void run(const T* from, Index from_row, Index ahead, T* to, Index to_row) {
    Vector rows[2][static_cast<std::size_t>(kSize)];
    _Pragma("GCC unroll 16") for (int i = 0; i < kSize; ++i) {
      std::memcpy(&rows[0][i], from + i * from_row, sizeof(Vector));
      __builtin_prefetch(from + i * from_row + ahead);
      __builtin_prefetch(to + i * to_row + 2 * kSize, 1);
    }
    int at = 0;
    _Pragma("GCC unroll 4") for (int step = 1; step < kSize; step *= 2, at = 1 - at) {
      _Pragma("GCC unroll 8") for (int i = 0; i < kSize / 2; ++i) {
        interleave(rows[at][i], rows[at][i + kSize / 2], rows[1 - at][2 * i], rows[1 - at][2 * i + 1],
                   std::make_integer_sequence<int, kSize>());
      }
    }
    _Pragma("GCC unroll 16") for (int i = 0; i < kSize; ++i) std::memcpy(to + i * to_row, &rows[at][i], sizeof(Vector));
  }
};

/// A strip of rows as wide as a few blocks, from one block of columns to the next.
template <int kSize>
struct TransposeLoop {
  static constexpr Index kStrip = 4 * kSize, kAhead = 2 * kSize;  // rows of the result, rows of the source

  template <typename T>
  ISOSHARD_SCALAR static void run(Index rows, Index columns, const T* from, Index from_row, T* to, Index to_row) {
    for (Index strip = 0; strip < rows; strip += kStrip) {
      const Index strip_end = std::min(rows, strip + kStrip);
      for (Index j = 0; j < columns; j += kSize) {
        const Index width = std::min<Index>(kSize, columns - j);
        for (Index i = strip; i < strip_end; i += kSize) {
          const Index height = std::min<Index>(kSize, strip_end - i);
          const T* const source = from + j * from_row + i;
          T* const result = to + i * to_row + j;
          if (height == kSize && width == kSize) {
            WordBlock<T, kSize>::run(source, from_row, kAhead * from_row, result, to_row);
            continue;
          }
          for (Index r = 0; r < height; ++r) {
            for (Index c = 0; c < width; ++c) result[r * to_row + c] = source[c * from_row + r];
          }
        }
      }
    }
  }
};

template <typename T>
void transpose_of(Isa isa, Index rows, Index columns, const T* from, Index from_row, T* to, Index to_row) {
  constexpr int kWords = 64 / static_cast<int>(sizeof(T)), kMost = 16;
  using Lines = TransposeLoop<std::min(kWords, kMost)>;
  using Halves = TransposeLoop<std::min(kWords / 2, kMost)>;
  if (isa == Isa::avx512) return run_avx512<Lines>(rows, columns, from, from_row, to, to_row);
  dispatch<Halves>(isa, rows, columns, from, from_row, to, to_row);
}

}  // namespace

void transpose_words(Isa isa, Index rows, Index columns, const std::uint8_t* from, Index from_row, std::uint8_t* to,
                     Index to_row) {
  transpose_of(isa, rows, columns, from, from_row, to, to_row);
}
void transpose_words(Isa isa, Index rows, Index columns, const std::uint16_t* from, Index from_row, std::uint16_t* to,
                     Index to_row) {
  transpose_of(isa, rows, columns, from, from_row, to, to_row);
}
void transpose_words(Isa isa, Index rows, Index columns, const std::uint32_t* from, Index from_row, std::uint32_t* to,
                     Index to_row) {
  transpose_of(isa, rows, columns, from, from_row, to, to_row);
}
void transpose_words(Isa isa, Index rows, Index columns, const std::uint64_t* from, Index from_row, std::uint64_t* to,
                     Index to_row) {
  transpose_of(isa, rows, columns, from, from_row, to, to_row);
}

}  // namespace isoshard::sim
