#pragma once  // internal

#include <cstdint>
#include <vector>

#include "sim/engine/run_context.h"
#include "sim/lockstep/row.h"

namespace isoshard::sim {

/// The rows that live: each until it has been read as often as it will be.
class Rows {
 public:
  Rows(const RunContext& context, Partitions& partitions);

  /// Keeps what an instruction has made, with what the run puts in its place; who watches it sees it.
  void bind(PlanValueId id, Row row);
  /// The same of what a loop hands on, which has been seen.
  void keep(PlanValueId id, Row row);
  const Row& operator[](PlanValueId id) const;
  /// Reads once; with the last read the row is moved out.
  Row take(PlanValueId id);
  /// Reads once, for nobody; what was read for the last time comes back, to be let go.
  Row let_go(PlanValueId id);
  /// Whether the next read of the row is its last one.
  bool is_last(PlanValueId id) const { return left_[id.index()] == 1; }
  /// The values of a row whose next read is the last one: what is moved out is gone.
  std::vector<Value>& values_of_last(PlanValueId id) { return rows_[id.index()].values; }

 private:
  Row substituted(PlanValueId id, Row row);
  void show(PlanValueId id, const Row& row) const;

  const RunContext& context_;
  Partitions& partitions_;
  std::vector<Row> rows_;       ///< by id
  std::vector<uint32_t> left_;  ///< by id: reads to come
};

}  // namespace isoshard::sim
