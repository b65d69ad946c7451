#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/plan/calls/indexed.h"
#include "core/plan/calls/kernels.h"
#include "core/plan/calls/random.h"
#include "core/plan/calls/rows.h"
#include "core/plan/calls/sums.h"
#include "core/plan/plan_ids.h"

/// What one rank issues, call by call, to CUDA, NCCL and cuBLASLt: the Plan with all that depends on the rank decided
/// (docs/spec/calls.md).
namespace isoshard::calls {

/// What is added to a product before it is rounded.
enum class Epilogue : uint8_t {
  none,
  bias,      ///< a vector of n elements, to each row
  residual,  ///< a matrix that lies as the result does
};

/// c[b] = op(A[b]) · op(B[b]) for each b of a batch, row-major; op(A) is m × k, op(B) k × n. Adds in f32 for floats of
/// at most 32 bits, else in f64; rounds once, behind the epilogue. With `tf32` the operands, of f32, may be rounded to
/// 11 bits before.
struct Product {
  struct Matrix {
    Place place = 0;
    bool transposed = false;  ///< it lies in memory as k × m, or n × k
    int64_t row = 0;          ///< elements from one row in memory to the next
    int64_t batch = 0;        ///< elements from one matrix to the next
  };
  DType operands = DType::f32;
  DType result = DType::f32;
  int64_t batch = 1, m = 0, n = 0, k = 0;
  Matrix a, b, c;
  bool tf32 = false;
  Epilogue epilogue = Epilogue::none;
  Place added = 0;  ///< what the epilogue adds, of the dtype of the result
};

/// A collective of NCCL; `count` as that has it: elements of the result of one member for reduce_scatter, of the
/// operand of one for all_gather, of what goes to one for all_to_all, else of the operand.
struct Collective {
  enum class Kind : uint8_t { all_reduce_sum, all_reduce_max, all_reduce_min, all_gather, reduce_scatter, all_to_all };
  Kind kind = Kind::all_reduce_sum;
  uint32_t communicator = 0;
  DType dtype = DType::f32;
  int64_t count = 0;
  Place send = 0, receive = 0;
};

/// Sends and receives that go on together, in one group of NCCL.
struct Messages {
  struct Message {
    bool sends = false;
    int64_t peer = 0;  ///< a member of the communicator
    int64_t count = 0;
    Place place = 0;
  };
  uint32_t communicator = 0;
  DType dtype = DType::f32;
  std::vector<Message> messages;
};

/// Bytes of a rank's memory that are set to one value.
struct Fill {
  Place place = 0;
  int64_t bytes = 0;
  uint8_t value = 0;
};
/// Marks how far a stream has come.
struct Record {
  uint32_t event = 0;
};
/// What is issued on the stream from here on begins only when what `event` was last recorded behind has finished.
struct Wait {
  uint32_t event = 0;
};

/// A call that computes, without communication.
using LocalCall = std::variant<Map, Product, Fill, Reduction, ReducedMap, JoinChunks, RowMap, SumOfProducts, RunningSum,
                               Largest, BlockCopy, TakeRows, AddRows, FoldIn, SplitKey, RandomBits>;

/// One thing that a rank issues; streams are those of the Plan's queues.
struct Call {
  uint32_t stream = 0;
  InstructionId origin{};  ///< for messages
  std::variant<Map, Product, Fill, Reduction, ReducedMap, JoinChunks, RowMap, SumOfProducts, RunningSum, Largest,
               BlockCopy, TakeRows, AddRows, FoldIn, SplitKey, RandomBits, Collective, Messages, Record, Wait>
      what;
};

}  // namespace isoshard::calls
