#pragma once

#include "core/plan/calls/indexed.h"
#include "core/plan/calls/kernels.h"
#include "core/plan/calls/random.h"
#include "core/plan/calls/rows.h"
#include "core/plan/calls/sums.h"
#include "exec/kernels/simt/simt.h"

/// Starts kernels on a stream, in the memory of a rank that begins at `memory`, aligned to 16 bytes; places are aligned
/// to their elements. Kernels of no elements do not start. On a GPU a failure shows in cudaGetLastError().
namespace isoshard::exec {

void launch(const calls::Map& call, std::byte* memory, cudaStream_t stream);
void launch(const calls::Reduction& call, std::byte* memory, cudaStream_t stream);
void launch(const calls::ReducedMap& call, std::byte* memory, cudaStream_t stream);
void launch(const calls::JoinChunks& call, std::byte* memory, cudaStream_t stream);
void launch(const calls::RowMap& call, std::byte* memory, cudaStream_t stream);
void launch(const calls::SumOfProducts& call, std::byte* memory, cudaStream_t stream);
void launch(const calls::RunningSum& call, std::byte* memory, cudaStream_t stream);
void launch(const calls::Largest& call, std::byte* memory, cudaStream_t stream);
void launch(const calls::BlockCopy& call, std::byte* memory, cudaStream_t stream);
void launch(const calls::TakeRows& call, std::byte* memory, cudaStream_t stream);
void launch(const calls::AddRows& call, std::byte* memory, cudaStream_t stream);
void launch(const calls::FoldIn& call, std::byte* memory, cudaStream_t stream);
void launch(const calls::SplitKey& call, std::byte* memory, cudaStream_t stream);
void launch(const calls::RandomBits& call, std::byte* memory, cudaStream_t stream);

}  // namespace isoshard::exec
