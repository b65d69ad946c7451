#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "core/ir/module.h"
#include "core/ir/ops/sum_precision.h"
#include "core/ir/types/expr.h"
#include "core/plan/communicator.h"

namespace isoshard {

// What an instruction does. Local ops keep their IR payload; everything that depends on the rank is an Expr.

/// Reads one block of a global: block[d] of count[d] along each of its dimensions, in blocks of ceil(size / count).
/// Elements beyond the end of the global are padding, whose values mean nothing (sim draws poison). The result has the
/// block's elements under a shape that may leave out dimensions of size 1.
struct LoadBlock {
  GlobalId global;
  std::vector<Expr> block;
  std::vector<int64_t> count;
  Shape start{};  ///< the part of the block that is read, per dimension of the global; empty: all of it
  Shape size{};   ///< its sizes; empty with `start`
};
/// Writes a value as one block of output `output`, which may be a global's next-step value. It is cut like that of
/// LoadBlock; padding is not written.
struct StoreBlock {
  uint32_t output = 0;
  std::vector<Expr> block;
  std::vector<int64_t> count;
};
struct LocalOp {  ///< an op that every rank computes alike on its own values
  OpData op;
};
struct ScalarIndex {  ///< an i32 scalar with the value of `value`
  Expr value;
};
struct TakeBlock {  ///< block `block` of `count` along `dim`
  int64_t dim = 0;
  Expr block;
  int64_t count = 1;
};
struct PutBlock {  ///< the operand as block `block` of `count` along `dim`, zeros elsewhere
  int64_t dim = 0;
  Expr block;
  int64_t count = 1;
};
struct KeepOn {  ///< the operand where `index` equals `owner`, zeros elsewhere
  Expr index;
  int64_t owner = 0;
};
enum class CollectiveKind : uint8_t {
  all_reduce,  ///< the sum
  all_reduce_max,
  all_reduce_min,
  all_gather,
  reduce_scatter,
  all_to_all,
  assert_equal,  ///< members bring the same value, which each keeps; a difference fails the run (D-assert)
};
struct Collective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  CommunicatorId communicator;
  int64_t dim = 0;         ///< that grows (all_gather) or is split (reduce_scatter, all_to_all)
  int64_t concat_dim = 0;  ///< of all_to_all: that grows
  SumPrecision precision = SumPrecision::unspecified;  ///< of all_reduce and reduce_scatter

  /// Whether a sum is rounded to its dtype after every add.
  bool adds_natively() const { return precision == SumPrecision::native; }
};
/// Sends to member `target` of the communicator's group and receives from member `source`, as one: finished when what
/// it sends has been received and what it receives is there. -1 is nobody (zeros arrive). Only those two are waited
/// for.
struct Permute {
  CommunicatorId communicator;
  Expr target;
  Expr source;
};

/// Sends its operand to member `target` of the communicator's group, which must receive it: the k-th message from one
/// device to another over a communicator goes to the k-th receive there. Finished when the other side has it.
struct Send {
  CommunicatorId communicator;
  Expr target;
};
/// Receives the result from member `source`.
struct Recv {
  CommunicatorId communicator;
  Expr source;
};

using InstructionData = std::variant<LoadBlock, StoreBlock, LocalOp, ScalarIndex, TakeBlock, PutBlock, KeepOn,
                                     Collective, Permute, Send, Recv>;

/// The communicator of an instruction that communicates, or null.
const CommunicatorId* communicator_of(const InstructionData& data);

/// The members that a Permute, Send or Recv sends to and receives from, null where it does not; a Permute's may be -1.
struct Peers {
  const Expr* target = nullptr;
  const Expr* source = nullptr;
};
Peers peers_of(const InstructionData& data);

/// Whether it is a Permute, Send or Recv.
bool is_message(const InstructionData& data);

}  // namespace isoshard
