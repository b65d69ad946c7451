#pragma once  // internal

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/plan/calls/call_list.h"
#include "core/plan/calls/call_options.h"
#include "core/plan/calls/fusion/fuser.h"
#include "core/plan/calls/fusion/row_regions.h"
#include "core/plan/calls/writing/call_writer.h"
#include "core/plan/calls/writing/local_calls.h"
#include "core/plan/memory/memory_places.h"
#include "core/plan/passes/sync_plan.h"
#include "core/plan/renames.h"
#include "core/support/result.h"

namespace isoshard::calls {

/// A run of an instruction on the rank for which calls are written.
struct RankRun {
  Instruction instruction;
  InstructionId id;
  uint32_t stream = 0;
  std::vector<int64_t> iterations{};  ///< of the loops around, outermost first
};

/// Where a rank keeps what is not in its arena.
struct RankPlaces {
  std::vector<Place> scratch{};                   ///< by stream
  std::vector<std::optional<HeldBox>> globals{};  ///< by GlobalId: the box that holds all that the rank loads
  Place stored = 0;                               ///< copies of what loops store
};

/// Bytes of a value, whose size a memory plan has found small enough.
inline int64_t size_in_bytes(const TensorType& type) { return static_cast<int64_t>(bytes_of(type)); }

/// Writes what the runs of one rank issue, one after another. Plan, uses, rows, memory and list must outlive it.
class RankWriter {
 public:
  RankWriter(const Plan& plan, const ValueUses& uses, const RowRegions& rows, const MemoryPlaces& memory,
             int64_t position, RankPlaces places, const CallOptions& options, CallList& list)
      : plan_(plan),
        uses_(uses),
        rows_(rows),
        mesh_(*plan.mesh),
        memory_(memory),
        position_(position),
        places_(std::move(places)),
        options_(options),
        list_(list),
        fuser_(uses, list, options.fuse) {
    scratch_bytes_.resize(places_.scratch.size());
  }

  /// The calls of one run, unless it waits for others of its rows. Error `X-unsupported`.
  Result<void> write(const RankRun& run);
  /// Records an event, behind all that the rank has run. Error `X-unsupported`.
  Result<void> record(const RankRun& run, uint32_t event);
  /// A call on the stream of `run`.
  template <class What>
  void add(const RankRun& run, What what) {
    fuser_.issue(Call{run.stream, run.id, std::move(what)});
  }
  /// By stream, the scratch memory that its calls so far use.
  const std::vector<int64_t>& scratch_bytes() const { return scratch_bytes_; }
  /// Bytes of the copies of what loops store.
  int64_t stored_bytes() const { return stored_bytes_; }

 private:
  Result<void> load(const RankRun& run, const LoadBlock& load);
  Result<void> store(const RankRun& run, const StoreBlock& store);
  Result<void> local(const RankRun& run, const OpData& op);
  Result<void> take_block(const RankRun& run, const TakeBlock& take);
  Result<void> put_block(const RankRun& run, const PutBlock& put);
  Result<void> keep_on(const RankRun& run, const KeepOn& keep);
  Result<void> scalar_index(const RankRun& run, const ScalarIndex& index);
  Result<void> collective(const RankRun& run, const isoshard::Collective& collective);
  Result<void> reduce(const RankRun& run, const isoshard::Collective& collective);
  Result<void> extreme(const RankRun& run, const isoshard::Collective& collective);
  Result<void> reduce_scatter(const RankRun& run, const isoshard::Collective& collective);
  Result<void> gather(const RankRun& run, const isoshard::Collective& collective);
  Result<void> exchange(const RankRun& run, const isoshard::Collective& collective);
  void messages(const RankRun& run);
  Result<void> copies_of_rows(const RankRun& run);

  Result<LocalCalls> made(const RankRun& run, const OpData& op, std::span<const Held> operands,
                          std::span<const Held> results);
  void add_all(const RankRun& run, LocalCalls calls);
  /// Whether a run writes over what others that wait read or write.
  bool waits_are_touched(const RankRun& run) const;
  /// Lets a member of a region wait for its last one, which is written with all others.
  Result<void> row_member(const RankRun& run);
  Result<void> write_waiting_rows();
  /// Writes the first that waits of a region.
  Result<void> write_first_of(const RowRegion& region);
  /// The kernel of these members. Nothing: there is none.
  Result<std::optional<RowMap>> row_map(const std::vector<RankRun>& runs);
  void issue_rows(const std::vector<RankRun>& runs, const RowMap& call);
  /// Issues a reduction that computes its operand, if it can; false where it does not.
  bool computes_terms(const RankRun& run, const OpData& op, std::span<const Held> operands,
                      std::span<const Held> results, const LocalCalls& calls);
  Result<void> compute(const RankRun& run, const OpData& op, std::span<const Held> operands,
                       std::span<const Held> results);
  Result<void> convert(const RankRun& run, const Held& from, const Held& to);
  Result<void> copy(const RankRun& run, const Shape& size, const View& from, const View& to);
  /// What a writer of kernels has written or refused.
  Result<void> add_calls(const RankRun& run, CallWriter writer);
  Held held(PlanValueId id, const RankRun& run) const;
  /// `bytes` of the scratch memory of the run's stream, behind what the run already has.
  Place scratch(const RankRun& run, int64_t bytes);

  const Plan& plan_;
  const ValueUses& uses_;
  const RowRegions& rows_;
  const Mesh& mesh_;
  const MemoryPlaces& memory_;
  int64_t position_;
  RankPlaces places_;
  CallOptions options_;
  CallList& list_;
  Fuser fuser_;
  std::vector<RankRun> waiting_rows_;  ///< members of regions, in issue order
  std::vector<int64_t> scratch_bytes_;
  int64_t scratch_used_ = 0;  ///< by the run
  int64_t stored_bytes_ = 0;
};

}  // namespace isoshard::calls
