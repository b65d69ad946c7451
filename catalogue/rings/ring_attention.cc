#include <utility>

#include "catalogue/rings/attention.h"

namespace isoshard {
namespace {

/// What a twin does wrong.
enum class RingTwin : uint8_t { none, no_rescale, opposite, stale, later_key, local_mask };

RingTwin ring_mistake(const std::string& word) {
  if (word == "no_rescale") return RingTwin::no_rescale;
  if (word == "opposite") return RingTwin::opposite;
  if (word == "stale") return RingTwin::stale;
  if (word == "later_key") return RingTwin::later_key;
  return word == "local_mask" ? RingTwin::local_mask : RingTwin::none;
}

std::string step(int64_t k) { return "." + std::to_string(k); }

/// The keys and values that a device holds in step k, those that started k devices before it, and their positions:
/// i32[keys], invalid where there is no mask.
struct RingBlock {
  ValueId k, v, positions;
};

/// The blocks of all steps. Sending them on depends on no product, so that it overlaps with them.
std::vector<RingBlock> rotate(ModelBuilder& m, RingBlock block, const PositionBlocks& ring, RingTwin mistake) {
  std::vector<RingBlock> blocks{block};
  for (int64_t k = 1; k < ring.count; ++k) {
    block.k = m.shift(block.k, ring.axis, 1, "k" + step(k));
    const bool forgotten = mistake == RingTwin::stale && k == 1;
    if (!forgotten) block.v = m.shift(block.v, ring.axis, mistake == RingTwin::opposite ? -1 : 1, "v" + step(k));
    if (block.positions.valid() && mistake != RingTwin::local_mask) {
      block.positions = m.shift(block.positions, ring.axis, 1, "positions" + step(k));
    }
    blocks.push_back(block);
  }
  return blocks;
}

/// exp(before - after), the factor by which what was summed below the maximum `before` shrinks when it becomes `after`.
ValueId shrinkage(ModelBuilder& m, ValueId before, ValueId after, std::string name,
                  const Location& location = Location::here()) {
  return m.op(Exponential{}, {m.op(Subtract{}, {before, after}, "", location)}, std::move(name), location);
}

/// Adds a block to the sums over the blocks before it (online softmax: Milakov and Gimelshein 2018).
BlockSums fold(ModelBuilder& m, const BlockSums& sums, ValueId scores, ValueId v, int64_t k, RingTwin mistake) {
  const ValueId own_top = largest_scores(m, scores, "own_top" + step(k));
  const ValueId top = m.op(Maximum{}, {sums.top, own_top}, "top" + step(k));
  const BlockSums own = sum_block(m, scores, top, v, ".own" + step(k));
  const ValueId shrink = shrinkage(m, sums.top, top, "shrink" + step(k));
  const ValueId sum = m.add(m.multiply(sums.sum, shrink), own.sum, "sum" + step(k));
  ValueId out = sums.out;
  if (mistake != RingTwin::no_rescale) out = m.multiply(out, per_query(m, shrink, out));
  return {top, sum, m.add(out, own.out, "out" + step(k))};
}

/// The last position that a query may see: its own, or by mistake the one behind.
ValueId own_or_later(ModelBuilder& m, ValueId positions, RingTwin mistake) {
  return mistake == RingTwin::later_key ? m.with_constant(Add{}, positions, Rational(1), "later") : positions;
}

/// Queries stay, keys and values go round; one division at the end (Liu et al. 2023). Everything is V over `seq`.
std::optional<ProgramId> build_rotated(const AttentionGlobals& g, const AttentionSizes& sizes, RingTwin mistake,
                                       const std::shared_ptr<const Mesh>& mesh, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "ring_attention", mesh, sink);
  const PositionBlocks ring = position_blocks(m, "seq", sizes.t);
  const ViewEntry all;
  const Layout layout{m.split("data"), all, ring.entry(), all};
  const ValueId q = scale_queries(m, m.view(g.q, layout, "q"), sizes, "scaled");
  RingBlock own{m.view(g.k, layout, "k.0"), view_values(m, g.v, layout, ring, "v.0"), {}};
  if (sizes.causal || ring.padded) own.positions = block_positions(m, ring, "positions.0");
  const Mask mask = attention_mask(m, own_or_later(m, own.positions, mistake), sizes, ring);
  const std::vector<RingBlock> blocks = rotate(m, own, ring, mistake);
  BlockSums sums;
  for (int64_t k = 0; k < ring.count; ++k) {
    const RingBlock& block = blocks[static_cast<size_t>(k)];
    const ValueId scores = scores_of(m, q, block.k, block.positions, mask, step(k));
    sums = k == 0 ? sum_block(m, scores, largest_scores(m, scores, "top.0"), block.v, ".0")
                  : fold(m, sums, scores, block.v, k, mistake);
  }
  const ValueId y = m.op(Divide{}, {sums.out, per_query(m, sums.sum, sums.out)}, "y");
  m.builder().output("y", y, layout, Location::here(), module.global(g.q).type);
  return m.finish();
}

bool build_ring_attention(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const AttentionSizes sizes = attention_sizes(settings);
  if (!mask_exists(settings, "ring_attention", {"later_key", "local_mask"}, sink)) return false;
  const AttentionGlobals globals = declare_attention(module, sizes);
  const RingTwin mistake = ring_mistake(settings.word("wrong"));
  const std::optional<ProgramId> ring = build_rotated(globals, sizes, mistake, settings.mesh, module, sink);
  const std::optional<ProgramId> dense = build_dense_attention(globals, sizes, module, sink);
  return add_check(module, ring, dense);
}

}  // namespace

Model ring_attention_model() {
  ModelInfo info;
  info.name = "ring_attention";
  info.doc = "Attention over positions split round the ring `seq`: online softmax over travelling keys and values";
  info.axes.push_back(AxisInfo{"data", 1, "splits the batch"});
  info.axes.push_back(AxisInfo{"seq", 4, "the ring: splits the positions"});
  info.settings = attention_settings("seq", 1);
  info.settings.push_back(SettingInfo{"wrong",
                                      0,
                                      "",
                                      {"no", "no_rescale", "opposite", "stale", "later_key", "local_mask"},
                                      "a mistake: no_rescale, opposite, stale, later_key or local_mask"});
  return Model{std::move(info), {{"b", "data"}}, build_ring_attention};
}

}  // namespace isoshard
