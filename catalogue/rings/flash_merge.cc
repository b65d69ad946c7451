#include <utility>

#include "catalogue/rings/attention.h"

namespace isoshard {
namespace {

/// What a twin does wrong.
enum class FlashTwin : uint8_t { none, no_maximum, unnormalised, local_sum, local_mask };

FlashTwin flash_mistake(const std::string& word) {
  if (word == "no_maximum") return FlashTwin::no_maximum;
  if (word == "unnormalised") return FlashTwin::unnormalised;
  if (word == "local_sum") return FlashTwin::local_sum;
  return word == "local_mask" ? FlashTwin::local_mask : FlashTwin::none;
}

/// What attention over a block of the keys gives: the softmax mean of its values, and the logarithm of the sum of
/// exp(score), by which it is weighed against other blocks.
struct Part {
  ValueId mean;     ///< [b, heads, t, d]
  ValueId log_sum;  ///< [b, heads, t]
};

Part attend_to_block(ModelBuilder& m, ValueId scores, ValueId v, FlashTwin mistake) {
  const BlockSums sums = sum_block(m, scores, largest_scores(m, scores, "top"), v, "");
  const ValueId mean = m.op(Divide{}, {sums.out, per_query(m, sums.sum, sums.out)}, "mean");
  const ValueId log = m.op(Log{}, {sums.sum}, "log");
  return {mean, mistake == FlashTwin::no_maximum ? log : m.add(log, sums.top, "log_sum")};
}

/// exp(log_sum - the largest of all blocks).
ValueId weigh(ModelBuilder& m, ValueId log_sum, ValueId largest, std::string name,
              const Location& location = Location::here()) {
  return m.op(Exponential{}, {m.op(Subtract{}, {log_sum, largest}, "", location)}, std::move(name), location);
}

/// Three reductions: of the maxima, of the weights and of the weighted means.
ValueId merge_by_reduction(ModelBuilder& m, const Part& part, const Group& axis, FlashTwin mistake) {
  const ValueId fixed = m.op(StopGradient{}, {part.log_sum});
  const ValueId largest = m.op(AllReduce{axis, {}, Reducer::max}, {fixed}, "largest");
  const ValueId weight = weigh(m, part.log_sum, largest, "weight");  // {V}
  const ValueId own = m.multiply(part.mean, per_query(m, weight, part.mean), "weighted");
  const ValueId term = m.reinterpret(own, axis, State::partial, "term");
  const bool normalised = mistake != FlashTwin::unnormalised;
  const ValueId sum = m.all_reduce(term, axis, State::replicated, normalised ? "total" : "y");
  if (!normalised) return sum;
  if (mistake == FlashTwin::local_sum) return m.op(Divide{}, {sum, per_query(m, weight, sum)}, "y");
  const ValueId weight_term = m.reinterpret(weight, axis, State::partial, "weight_term");
  const ValueId weights = m.all_reduce(weight_term, axis, State::replicated, "all_weights");
  return m.op(Divide{}, {sum, per_query(m, weights, sum)}, "y");
}

/// `x` of every device, along a new dimension 0, on every device.
ValueId gather_parts(ModelBuilder& m, ValueId x, const Group& axis, std::string name,
                     const Location& location = Location::here()) {
  if (!x.valid()) return {};
  Shape one = m.shape(x);
  one.insert(one.begin(), 1);
  const ValueId part = m.op(Reshape{one}, {x}, "", location);
  return m.op(AllGather{axis, 0, State::replicated}, {part}, std::move(name), location);
}

/// Two gathers, of the means and of the log-sums; every device then merges all blocks.
ValueId merge_by_gathering(ModelBuilder& m, const Part& part, const Group& axis, FlashTwin mistake) {
  const ValueId means = gather_parts(m, part.mean, axis, "means");           // [n, b, heads, t, d]
  const ValueId log_sums = gather_parts(m, part.log_sum, axis, "log_sums");  // [n, b, heads, t]
  const ValueId fixed = m.op(StopGradient{}, {log_sums});
  const ValueId largest = m.op(Reduce{Reducer::max, {0}, {}}, {fixed}, "largest");
  const ValueId weight = weigh(m, log_sums, m.broadcast_like(largest, {1, 2, 3}, log_sums), "weight");
  const ValueId weighted = m.multiply(means, m.broadcast_like(weight, {0, 1, 2, 3}, means), "weighted");
  const bool normalised = mistake != FlashTwin::unnormalised;
  const ValueId sum = m.op(Reduce{Reducer::add, {0}, {}}, {weighted}, normalised ? "total" : "y");
  if (!normalised) return sum;
  const ValueId total = mistake == FlashTwin::local_sum ? weigh(m, part.log_sum, largest, "own_weight")
                                                        : m.op(Reduce{Reducer::add, {0}, {}}, {weight}, "all_weights");
  return m.op(Divide{}, {sum, per_query(m, total, sum)}, "y");
}

/// Queries are on every device, keys and values are split over `keys`. States are {data, keys}.
std::optional<ProgramId> build_merged(const AttentionGlobals& g, const ModelSettings& settings, Module& module,
                                      DiagnosticSink& sink) {
  ModelBuilder m(module, "flash_merge", settings.mesh, sink);
  const AttentionSizes sizes = attention_sizes(settings);
  const FlashTwin mistake = flash_mistake(settings.word("wrong"));
  const PositionBlocks blocks = position_blocks(m, "keys", sizes.t);
  const ViewEntry all, over_data = m.split("data");
  const Layout whole{over_data, all, all, all}, split{over_data, all, blocks.entry(), all};
  const ValueId q = scale_queries(m, m.view(g.q, whole, "q"), sizes, "scaled");            // {V, R}
  const ValueId k = m.view(g.k, split, "k"), v = view_values(m, g.v, split, blocks, "v");  // {V, V}
  ValueId positions;
  Mask mask;
  if (sizes.causal || blocks.padded) {
    positions = mistake == FlashTwin::local_mask ? m.op(Iota{DType::i32, {blocks.length}, 0}, {}, "positions")
                                                 : block_positions(m, blocks, "positions");
    mask = attention_mask(m, m.op(Iota{DType::i32, {sizes.t}, 0}, {}, "queries"), sizes, blocks);
  }
  const Part part = attend_to_block(m, scores_of(m, q, k, positions, mask, ""), v, mistake);
  const ValueId y = settings.word("merge") == "all_gather" ? merge_by_gathering(m, part, blocks.axis, mistake)
                                                           : merge_by_reduction(m, part, blocks.axis, mistake);
  m.output("y", y, whole);
  return m.finish();
}

bool build_flash_merge(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const AttentionSizes sizes = attention_sizes(settings);
  if (!mask_exists(settings, "flash_merge", {"local_mask"}, sink)) return false;
  const AttentionGlobals globals = declare_attention(module, sizes);
  const std::optional<ProgramId> merged = build_merged(globals, settings, module, sink);
  const std::optional<ProgramId> dense = build_dense_attention(globals, sizes, module, sink);
  return add_check(module, merged, dense);
}

}  // namespace

Model flash_merge_model() {
  ModelInfo info;
  info.name = "flash_merge";
  info.doc = "Attention over keys split over `keys`: every device attends to its own, log-sum-exps merge the results";
  info.axes.push_back(AxisInfo{"data", 1, "splits the batch"});
  info.axes.push_back(AxisInfo{"keys", 4, "splits the keys and values"});
  info.settings = attention_settings("keys", 2);
  info.settings.push_back(
      SettingInfo{"merge", 0, "", {"all_reduce", "all_gather"}, "all_reduce or all_gather: how results meet"});
  info.settings.push_back(SettingInfo{"wrong",
                                      0,
                                      "",
                                      {"no", "no_maximum", "unnormalised", "local_sum", "local_mask"},
                                      "a mistake: no_maximum, unnormalised, local_sum or local_mask"});
  return Model{std::move(info), {{"b", "data"}}, build_flash_merge};
}

}  // namespace isoshard
