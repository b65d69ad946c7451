// Checks the types of a Plan that was read: what lowering never gets wrong, and what the engine and all analyses take
// for granted. Ops of programs infer the types of their results as the builder of programs has them do; a collective is
// the op that it comes from. Blocks have the sizes that their counts give, as in the comment of LoadBlock. A type that
// is written is compared with the one that follows. Cost: one inference per instruction.
#include "core/text/plan/read/plan_types.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "core/ir/module.h"
#include "core/plan/instruction_op.h"

namespace isoshard::text {
namespace {

constexpr size_t kMostTypeErrors = 20;
constexpr int64_t kMostPutBlocks = int64_t{1} << 20;
constexpr int64_t kMostElementsAlong = int64_t{1} << 40;

Shape without_ones(const Shape& shape) {
  Shape result;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(result), [](int64_t size) { return size != 1; });
  return result;
}

int64_t ceil_div(int64_t size, int64_t count) { return size / count + (size % count != 0 ? 1 : 0); }

/// Checks one instruction.
class Types {
 public:
  Types(const Plan& plan, const Instruction& instruction, const SymbolTable& symbols, DiagnosticSink& sink)
      : plan_(plan), instruction_(instruction), symbols_(symbols), sink_(sink) {}

  void check() {
    std::visit([&](const auto& data) { check(data); }, instruction_.data());
  }

 private:
  const TensorType& operand(size_t i) const { return plan_.value(instruction_.operands[i]).type(); }

  void error(const char* rule, const std::string& message) {
    sink_.error(rule, instruction_.location(), std::string(instruction_word(instruction_.data())) + ": " + message);
  }

  bool has(size_t operands, size_t results) {
    if (instruction_.operands.size() == operands && instruction_.results.size() == results) return true;
    error("V-operands", "has " + std::to_string(instruction_.operands.size()) + " operands and " +
                            std::to_string(instruction_.results.size()) + " results; expected " +
                            std::to_string(operands) + " and " + std::to_string(results));
    return false;
  }

  void expect(size_t result, const TensorType& expected) {
    const PlanValue& value = plan_.value(instruction_.results[result]);
    if (value.type() == expected) return;
    error("L-type", "%" + value.name() + " is " + to_string(value.type()) + "; expected " + to_string(expected));
  }

  // Blocks.

  /// The sizes of a block of `whole`; nothing after an error.
  std::optional<Shape> block_of(const TensorType& whole, const std::vector<int64_t>& count) {
    Shape sizes = whole.shape;
    if (count.size() != sizes.size()) {
      error("L-block", "has " + std::to_string(count.size()) + " blocks for " + to_string(whole) +
                           "; expected one for each dimension");
      return std::nullopt;
    }
    for (size_t d = 0; d < sizes.size(); ++d) sizes[d] = ceil_div(sizes[d], count[d]);
    return sizes;
  }

  /// A value that holds a block may lack dimensions of size 1.
  void expect_block(const TensorType& type, DType dtype, const Shape& block) {
    if (type.dtype == dtype && without_ones(type.shape) == without_ones(block)) return;
    error("L-type", "the block is " + to_string(TensorType{dtype, block}) + ", the value " + to_string(type) +
                        "; expected one type, but for dimensions of size 1");
  }

  void check(const LoadBlock& op) {
    const TensorType& whole = plan_.globals[op.global.index()].type;
    std::optional<Shape> block = block_of(whole, op.count);
    if (!has(0, 1) || !block) return;
    if (!op.start.empty()) {
      if (op.start.size() != block->size()) return error("L-block", "has a part of another rank than the block");
      for (size_t d = 0; d < block->size(); ++d) {
        const bool inside = op.start[d] + op.size[d] <= (*block)[d];
        if (!inside) {
          return error("L-block", "has the part " + std::to_string(op.start[d]) + ":" +
                                      std::to_string(op.start[d] + op.size[d]) + " of a dimension of size " +
                                      std::to_string((*block)[d]) + "; expected one inside");
        }
      }
      block = op.size;
    }
    expect_block(plan_.value(instruction_.results[0]).type(), whole.dtype, *block);
  }

  void check(const StoreBlock& op) {
    const TensorType& whole = plan_.outputs[op.output].type;
    const std::optional<Shape> block = block_of(whole, op.count);
    if (has(1, 0) && block) expect_block(operand(0), whole.dtype, *block);
  }

  /// The size along `dim`; null after an error.
  int64_t* size_along(TensorType& type, int64_t dim) {
    if (dim >= 0 && dim < std::ssize(type.shape)) return &type.shape[static_cast<size_t>(dim)];
    error("T-dim", "has dim=" + std::to_string(dim) + " of " + to_string(type) + "; expected a dimension of it");
    return nullptr;
  }

  void check(const TakeBlock& op) {
    if (!has(1, 1)) return;
    TensorType type = operand(0);
    int64_t* size = size_along(type, op.dim);
    if (size == nullptr) return;
    if (*size % op.count != 0) {
      return error("T-divide", std::to_string(op.count) + " blocks do not divide the size " + std::to_string(*size));
    }
    *size /= op.count;
    expect(0, type);
  }

  void check(const PutBlock& op) {
    if (!has(1, 1)) return;
    TensorType type = operand(0);
    int64_t* size = size_along(type, op.dim);
    if (size == nullptr) return;
    const bool fits = op.count <= kMostPutBlocks && (*size == 0 || op.count <= kMostElementsAlong / *size);
    if (!fits) {
      return error("T-size", "makes " + std::to_string(op.count) + " blocks of " + std::to_string(*size) +
                                 "; expected at most 2^20 blocks and 2^40 elements along the dimension");
    }
    *size *= op.count;
    expect(0, type);
  }

  void check(const ScalarIndex&) {
    if (has(0, 1)) expect(0, TensorType{DType::i32, {}});
  }
  void check(const KeepOn&) { check_same(); }
  void check(const Permute&) { check_same(); }
  void check(const Send&) { has(1, 0); }
  void check(const Recv&) { has(0, 1); }
  void check_same() {
    if (has(1, 1)) expect(0, operand(0));
  }

  // Ops.

  void check(const LocalOp& op) { infer(op.op, *plan_.mesh); }

  /// The op that the collective comes from; sets of positions are like groups along an axis of that size.
  void check(const Collective& op) {
    const Communicator& over = plan_.communicators[op.communicator.index()];
    if (over.sets.empty()) return check(op, *plan_.mesh, over.group);
    const Mesh line("", {{over.to_string(*plan_.mesh), over.size(*plan_.mesh)}});
    check(op, line, line.all());
  }

  void check(const Collective& op, const Mesh& mesh, const Group& axes) {
    const auto infer = [&](const OpData& data) { this->infer(data, mesh); };
    switch (op.kind) {
      case CollectiveKind::all_reduce:
        return infer(AllReduce{axes, {}, Reducer::add, op.precision});
      case CollectiveKind::all_reduce_max:
        return infer(AllReduce{axes, {}, Reducer::max});
      case CollectiveKind::all_reduce_min:
        return infer(AllReduce{axes, {}, Reducer::min});
      case CollectiveKind::all_gather:
        return infer(AllGather{axes, op.dim, {}});
      case CollectiveKind::reduce_scatter:
        return infer(ReduceScatter{axes, op.dim, op.precision});
      case CollectiveKind::all_to_all:
        return infer(AllToAll{axes, op.dim, op.concat_dim});
      case CollectiveKind::assert_equal:
        return infer(AssertEqual{axes});
    }
  }

  void infer(const OpData& op, const Mesh& mesh) {
    const int expected = operand_count(op);
    const size_t given = instruction_.operands.size();
    if (expected >= 0 ? given != static_cast<size_t>(expected) : given == 0) {
      return error("V-operands", "has " + std::to_string(given) + " operands; expected " +
                                     (expected >= 0 ? std::to_string(expected) : "at least one"));
    }
    std::vector<TensorType> operands;
    for (size_t i = 0; i < given; ++i) operands.push_back(operand(i));
    const Location location = instruction_.location();
    const InferContext context(mesh, symbols_, pointers_to(operands), op_name(op), location, sink_);
    const Inferred types = infer_types(op, context);
    if (!types) return;
    if (types->size() != instruction_.results.size()) {
      return error("V-operands", "has " + std::to_string(instruction_.results.size()) + " results; expected " +
                                     std::to_string(types->size()));
    }
    for (size_t i = 0; i < types->size(); ++i) expect(i, (*types)[i]);
  }

  const Plan& plan_;
  Instruction instruction_;
  const SymbolTable& symbols_;
  DiagnosticSink& sink_;
};

}  // namespace

void check_plan_types(const Plan& plan, DiagnosticSink& sink) {
  Module symbols;
  symbols.globals = plan.globals;
  const size_t before = sink.error_count();
  for (const Instruction& instruction : plan.instructions) {
    if (sink.error_count() - before >= kMostTypeErrors) return;
    Types(plan, instruction, symbols, sink).check();
  }
}

}  // namespace isoshard::text
