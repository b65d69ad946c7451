#pragma once  // internal

#include <functional>
#include <string>
#include <vector>

#include "core/text/plan/read/coordinate_reader.h"
#include "core/text/plan/read/plan_header.h"

namespace isoshard::text {

/// Reads `{dim=0, block=model of 4}` into an instruction: visit_fields (instruction_fields.h) says which fields there
/// are, then `read` takes them in any order, each once (E-field, E-field-value).
class FieldSlots {
 public:
  FieldSlots(TokenReader& reader, const Scope& scope, const PlanHeader& header, const std::vector<int64_t>& loops,
             QueueId queue)
      : reader_(reader), scope_(scope), header_(header), loops_(loops), queue_(queue) {}

  void integer(const char* name, int64_t& value);
  void expression(const char* name, isoshard::Expr& value);
  void block(const char* name, isoshard::Expr& block, int64_t& count);
  void blocks(const char* name, std::vector<isoshard::Expr>& block, std::vector<int64_t>& count);
  /// The communicator is that of the queue; the group that is written must be its own.
  void group(CommunicatorId& id);
  void output(uint32_t& index);
  void precision(SumPrecision& value);

  /// Reads the braces; `op` is what is read, for messages.
  void read(const Word& op);

 private:
  struct Slot {
    std::string name;
    std::function<void()> take;
    bool given = false;
    bool optional = false;
  };

  void add(std::string name, std::function<void()> take) { slots_.push_back({std::move(name), std::move(take)}); }
  Slot& find(const Word& name, const Word& op);
  void take_output(uint32_t& index, bool is_update);
  void take_group(CommunicatorId id);
  void take_precision(SumPrecision& value);

  TokenReader& reader_;
  const Scope& scope_;
  const PlanHeader& header_;
  const std::vector<int64_t>& loops_;
  QueueId queue_;
  std::vector<Slot> slots_;
};

/// `[model of 4, -]`: the block along each dimension, and of how many.
void read_blocks(TokenReader& reader, const Scope& scope, const std::vector<int64_t>& loops,
                 std::vector<isoshard::Expr>& block, std::vector<int64_t>& count);

}  // namespace isoshard::text
