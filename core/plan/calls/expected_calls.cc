// What a call list has to become at the functions of CUDA, NCCL and cuBLASLt, for comparison with what a rank issued.
// It is written from the list, docs/spec/calls.md and the documents of these libraries, and shares nothing with
// exec/device, whose translation it judges: numbers of constants are those of the libraries' interfaces, and cannot
// come from their headers, which are not everywhere. Cost: a short vector per call; of a kernel a digest of its bytes.
#include "core/plan/calls/expected_calls.h"

#include <bit>

namespace isoshard::calls {
namespace {

// ncclDataType_t
constexpr int64_t kNcclInt8 = 0, kNcclUint8 = 1, kNcclInt32 = 2, kNcclUint32 = 3, kNcclInt64 = 4, kNcclUint64 = 5;
constexpr int64_t kNcclFloat16 = 6, kNcclFloat32 = 7, kNcclFloat64 = 8, kNcclBfloat16 = 9;
constexpr int64_t kNcclFloat8e4m3 = 10, kNcclFloat8e5m2 = 11;
// ncclRedOp_t
constexpr int64_t kNcclSum = 0, kNcclMax = 2, kNcclMin = 3;
// cudaDataType, cublasComputeType_t, cublasOperation_t, cublasLtOrder_t
constexpr int64_t kCuda32F = 0, kCuda64F = 1, kCuda16F = 2, kCuda16BF = 14;
constexpr int64_t kCompute32F = 68, kCompute64F = 70, kComputeTf32 = 77;
constexpr int64_t kAsItIs = 0, kTransposed = 1;
constexpr int64_t kColumns = 0;
// cublasLtEpilogue_t
constexpr int64_t kNoEpilogue = 1, kBias = 4;

/// A dtype of which NCCL adds elements, or compares them.
int64_t nccl_type_of(DType dtype) {
  switch (dtype) {
    case DType::i8:
      return kNcclInt8;
    case DType::pred:
    case DType::u8:
      return kNcclUint8;
    case DType::i32:
      return kNcclInt32;
    case DType::u32:
      return kNcclUint32;
    case DType::i64:
      return kNcclInt64;
    case DType::u64:
    case DType::key:
      return kNcclUint64;
    case DType::f16:
      return kNcclFloat16;
    case DType::bf16:
      return kNcclBfloat16;
    case DType::f8e4m3:
      return kNcclFloat8e4m3;
    case DType::f8e5m2:
      return kNcclFloat8e5m2;
    case DType::f32:
      return kNcclFloat32;
    case DType::f64:
      return kNcclFloat64;
  }
  return -1;
}

int64_t cuda_type_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return kCuda64F;
    case DType::f16:
      return kCuda16F;
    case DType::bf16:
      return kCuda16BF;
    default:
      return kCuda32F;
  }
}

class Expectation {
 public:
  Expectation(const CallList& list, int64_t ranks) : list_(list), ranks_(ranks) {}

  std::vector<ExpectedCall> of(Phase phase) {
    if (phase == Phase::opening) {
      open();
    } else if (!list_.streams.empty()) {
      if (phase == Phase::capture) capture();
      step(phase);
    }
    return std::move(expected_);
  }

 private:
  void add(Function function, std::vector<int64_t> arguments) {
    expected_.push_back(ExpectedCall{IssuedCall{function, std::move(arguments)}, call_});
  }

  void open() {
    if (list_.communicators.empty()) return;
    add(Function::meet, {ranks_, list_.position});
    for (size_t c = 0; c < list_.communicators.size(); ++c) {
      const Membership& m = list_.communicators[c];
      const bool takes_part = m.color >= 0;
      add(Function::split,
          {static_cast<int64_t>(c), m.color, m.index, takes_part ? m.size : -1, takes_part ? m.index : -1});
    }
  }

  void step(Phase phase) {
    add(Function::record, {event_number(EventRole::begin, 0), 0});
    if (phase == Phase::step) {
      all_calls(true);
    } else {
      add(Function::launch_graph, {0});
    }
    for (size_t s = 0; s < list_.streams.size(); ++s) end(s);
  }

  /// All streams are forked from the first one and joined to it again, as a capture asks for.
  void capture() {
    add(Function::begin_capture, {0});
    add(Function::record, {event_number(EventRole::begin, 0), 0});
    for (size_t s = 1; s < list_.streams.size(); ++s) {
      add(Function::wait, {static_cast<int64_t>(s), event_number(EventRole::begin, 0)});
    }
    all_calls(false);
    for (size_t s = 1; s < list_.streams.size(); ++s) {
      end(s);
      add(Function::wait, {0, event_number(EventRole::end, static_cast<int64_t>(s))});
    }
    add(Function::end_capture, {0});
  }

  void end(size_t stream) {
    const auto s = static_cast<int64_t>(stream);
    add(Function::record, {event_number(EventRole::end, s), s});
  }

  void all_calls(bool marks) {
    for (size_t c = 0; c < list_.calls.size(); ++c) {
      call_ = c;
      stream_ = list_.calls[c].stream;
      std::visit([this](const auto& what) { expect(what); }, list_.calls[c].what);
      const auto& what = list_.calls[c].what;
      const bool communicates = std::holds_alternative<Collective>(what) || std::holds_alternative<Messages>(what);
      if (marks && communicates) {
        add(Function::record, {event_number(EventRole::mark, static_cast<int64_t>(c)), stream_});
      }
    }
    call_.reset();
  }

  void expect(const Record& record) { add(Function::record, {event_number(EventRole::listed, record.event), stream_}); }
  void expect(const Wait& wait) { add(Function::wait, {stream_, event_number(EventRole::listed, wait.event)}); }
  void expect(const Fill& fill) { add(Function::fill, {fill.place, fill.value, fill.bytes, stream_}); }

  template <class Kernel>
  void expect(const Kernel& kernel) {
    add(Function::kernel, {kernel_number<Kernel>(), digest_of(kernel), 0, stream_});
  }

  void expect(const Collective& c) {
    using Made = Collective::Kind;
    const int64_t type = nccl_type_of(c.dtype), on = c.communicator, bytes = c.count * size_of(c.dtype);
    switch (c.kind) {
      case Made::all_reduce_sum:
        return add(Function::all_reduce, {c.send, c.receive, c.count, type, kNcclSum, on, stream_});
      case Made::all_reduce_max:
        return add(Function::all_reduce, {c.send, c.receive, c.count, type, kNcclMax, on, stream_});
      case Made::all_reduce_min:
        return add(Function::all_reduce, {c.send, c.receive, c.count, type, kNcclMin, on, stream_});
      case Made::reduce_scatter:
        return add(Function::reduce_scatter, {c.send, c.receive, c.count, type, kNcclSum, on, stream_});
      case Made::all_gather:
        return add(Function::all_gather, {c.send, c.receive, bytes, kNcclUint8, on, stream_});
      case Made::all_to_all:
        return add(Function::all_to_all, {c.send, c.receive, bytes, kNcclUint8, on, stream_});
    }
  }

  void expect(const Messages& group) {
    add(Function::group_start, {});
    for (const Messages::Message& m : group.messages) {
      add(m.sends ? Function::send : Function::receive,
          {m.place, m.count * size_of(group.dtype), kNcclUint8, m.peer, int64_t{group.communicator}, stream_});
    }
    add(Function::group_end, {});
  }

  /// cuBLASLt reads what is row-major as the transpose in columns: c' = b' · a', so that b comes first, and a vector
  /// for each row is one for each column. What is added as a matrix is so by beta = 1.
  void expect(const Product& p) {
    const bool wide = p.operands == DType::f64, has_bias = p.epilogue == Epilogue::bias;
    const bool is_added = p.epilogue == Epilogue::residual;
    std::vector<int64_t> arguments{wide     ? kCompute64F
                                   : p.tf32 ? kComputeTf32
                                            : kCompute32F,
                                   wide ? kCuda64F : kCuda32F,
                                   p.b.transposed ? kTransposed : kAsItIs,
                                   p.a.transposed ? kTransposed : kAsItIs,
                                   has_bias ? kBias : kNoEpilogue,
                                   has_bias ? p.added : kNowhere,
                                   std::bit_cast<int64_t>(1.0),
                                   std::bit_cast<int64_t>(is_added ? 1.0 : 0.0)};
    add_matrix(p.b, p.operands, p.k, p.n, p.batch, arguments);
    add_matrix(p.a, p.operands, p.m, p.k, p.batch, arguments);
    Product::Matrix added = p.c;
    if (is_added) added.place = p.added;
    for (const Product::Matrix& matrix : {added, p.c}) add_matrix(matrix, p.result, p.m, p.n, p.batch, arguments);
    arguments.insert(arguments.end(), {stream_, stream_});  // a workspace per stream
    add(Function::product, std::move(arguments));
  }

  static void add_matrix(const Product::Matrix& matrix, DType dtype, int64_t rows, int64_t columns, int64_t batch,
                         std::vector<int64_t>& arguments) {
    const int64_t lines = matrix.transposed ? columns : rows, length = matrix.transposed ? rows : columns;
    arguments.insert(arguments.end(),
                     {matrix.place, cuda_type_of(dtype), kColumns, length, lines, matrix.row, batch, matrix.batch});
  }

  static int64_t size_of(DType dtype) { return static_cast<int64_t>(info(dtype).bytes); }

  const CallList& list_;
  int64_t ranks_;
  std::vector<ExpectedCall> expected_{};
  std::optional<size_t> call_{};
  int64_t stream_ = 0;
};

}  // namespace

std::vector<ExpectedCall> expected_calls(const CallList& list, int64_t ranks, Phase phase) {
  return Expectation(list, ranks).of(phase);
}

}  // namespace isoshard::calls
