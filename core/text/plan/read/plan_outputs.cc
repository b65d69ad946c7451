// Whether a Plan that was read stores each element of each output exactly once, replicas on several ranks counted once,
// as sim/run/assemble.h puts outputs together. Lowered programs are checked before they are lowered; a Plan by hand has
// only this. The places of all blocks on all ranks in all iterations are counted on the grid of their edges, so that it
// costs blocks and not elements.
#include "core/text/plan/read/plan_outputs.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/builder/cover.h"

namespace isoshard::text {
namespace {

/// The begin of a block, then its end.
using Corners = std::vector<int64_t>;

class Stores {
 public:
  Stores(const Plan& plan, const std::vector<Location>& declared, DiagnosticSink& sink)
      : plan_(plan), declared_(declared), sink_(sink), places_(plan.outputs.size()) {}

  void check() {
    for (const RankGroup& group : plan_.groups) {
      for (int64_t rank = 0; rank < group.size(*plan_.mesh); ++rank) {
        here_.assign(plan_.outputs.size(), {});
        walk(group.blocks, group.position(rank));
        for (size_t o = 0; o < here_.size(); ++o) {
          for (const auto& [place, times] : here_[o]) places_[o][place] = std::max(places_[o][place], times);
        }
      }
    }
    for (size_t o = 0; o < places_.size(); ++o) count(o);
  }

 private:
  /// Whether there are stores in these blocks; loops without any are not gone through.
  bool walk(const std::vector<isoshard::Block>& blocks, int64_t position) {
    bool any = false;
    for (const isoshard::Block& block : blocks) {
      for (const Queue& queue : block.queues) {
        for (const InstructionId id : queue.instructions) {
          const StoreBlock* store = std::get_if<StoreBlock>(&plan_.instruction(id).data());
          if (store == nullptr) continue;
          any = true;
          note(*store, position);
        }
      }
      bool inside = block.repeat.has_value();
      for (int64_t i = 0; inside && i < block.repeat->count; ++i) {
        loops_.push_back(i);
        inside = walk(block.repeat->body, position);
        loops_.pop_back();
        any = any || inside;
      }
    }
    return any;
  }

  void note(const StoreBlock& store, int64_t position) {
    const Shape& whole = plan_.outputs[store.output].type.shape;
    Corners place(2 * whole.size());
    for (size_t d = 0; d < whole.size(); ++d) {
      const int64_t size = whole[d] / store.count[d] + (whole[d] % store.count[d] != 0 ? 1 : 0);
      const int64_t begin = store.block[d].evaluate(*plan_.mesh, position, loops_) * size;
      place[d] = std::min(begin, whole[d]);
      place[whole.size() + d] = std::min(begin + size, whole[d]);
    }
    ++here_[store.output][place];
  }

  void count(size_t o) {
    const Output& output = plan_.outputs[o];
    const std::string name = (output.updates.valid() ? "the update of @" : "the output @") + output.name;
    const size_t rank = output.type.shape.size();
    Cover cover(output.type.shape);
    for (const auto& [place, times] : places_[o]) {
      for (int i = 0; i < std::min(times, 2); ++i) cover.add(std::span(place).first(rank), std::span(place).last(rank));
    }
    if (!cover.count()) {
      sink_.error("L-limit", declared_[o], name + " is cut into more than 2^26 parts; expected fewer blocks");
      return;
    }
    const std::vector<IndexRange> missing = cover.wrong(1, false), doubled = cover.wrong(1, true);
    if (!missing.empty()) {
      sink_.error("L-output", declared_[o],
                  name + ": nobody stores " + to_string(missing) + "; expected each element once");
    } else if (!doubled.empty()) {
      sink_.error("L-output", declared_[o],
                  name + ": " + to_string(doubled) +
                      " is stored more than once; expected each element once, and only equal blocks on several ranks");
    }
  }

  const Plan& plan_;
  const std::vector<Location>& declared_;
  DiagnosticSink& sink_;
  std::vector<std::map<Corners, int>> places_, here_;  ///< by output: how often, in all and on one rank
  std::vector<int64_t> loops_;
};

}  // namespace

void check_plan_outputs(const Plan& plan, const std::vector<Location>& declared, DiagnosticSink& sink) {
  Stores(plan, declared, sink).check();
}

}  // namespace isoshard::text
