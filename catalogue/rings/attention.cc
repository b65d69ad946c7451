#include "catalogue/rings/attention.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "parallel/layers/layers.h"

namespace isoshard {
namespace {

/// weights [b, heads, queries, keys] times values [b, heads, keys, d].
ValueId mix(ModelBuilder& m, ValueId weights, ValueId v, std::string name, const Location& location) {
  return m.op(DotGeneral{{{3}, {2}}, {}, {{0, 1}, {0, 1}}}, {weights, v}, std::move(name), location);
}

/// q kᵀ: [b, heads, queries, keys].
ValueId products(ModelBuilder& m, ValueId q, ValueId k, std::string name, const Location& location) {
  return m.op(DotGeneral{{{3}, {3}}, {}, {{0, 1}, {0, 1}}}, {q, k}, std::move(name), location);
}

/// The scores that `visible`, pred[queries, keys], leaves; -1e9 elsewhere.
ValueId hide(ModelBuilder& m, ValueId scores, ValueId visible, std::string name, const Location& location) {
  const ValueId everywhere = m.broadcast_like(visible, {2, 3}, scores, "", location);
  const ValueId hidden = m.constant_like(scores, Rational(-1000000000), "", location);
  return m.op(Select{}, {everywhere, scores, hidden}, std::move(name), location);
}

}  // namespace

AttentionSizes attention_sizes(const ModelSettings& settings) {
  return {settings.number("b"), settings.number("heads"), settings.number("t"), settings.number("d"),
          settings.word("causal") == "1"};
}

std::vector<SettingInfo> attention_settings(const std::string& positions, int64_t heads) {
  std::vector<SettingInfo> settings;
  settings.push_back(SettingInfo{"b", 1, "data", {}, "sequences of the batch"});
  settings.push_back(SettingInfo{"heads", heads, "", {}, "heads"});
  settings.push_back(SettingInfo{"t", 2, positions, {}, "positions; need not divide, blocks are then padded"});
  settings.push_back(SettingInfo{"d", 2, "", {}, "features of a head"});
  settings.push_back(SettingInfo{"causal", 0, "", {"1", "0"}, "1: a position sees no later one; 0: it sees all"});
  return settings;
}

bool mask_exists(const ModelSettings& settings, const std::string& model, const std::vector<std::string>& mistakes,
                 DiagnosticSink& sink) {
  const std::string& wrong = settings.word("wrong");
  const bool needs_mask = std::find(mistakes.begin(), mistakes.end(), wrong) != mistakes.end();
  if (!needs_mask || settings.word("causal") == "1") return true;
  sink.error(
      "C-value", Location(),
      model + ": `wrong` is \"" + wrong + "\", a mistake in the causal mask, and there is none; expected causal = 1");
  return false;
}

AttentionGlobals declare_attention(Module& module, const AttentionSizes& sizes, Location location) {
  const Shape shape{sizes.b, sizes.heads, sizes.t, sizes.d};
  const auto input = [&](const char* name) {
    return declare(module, name, shape, Role::input, InitKind::normal, location);
  };
  const GlobalId q = input("q"), k = input("k"), v = input("v");
  return {q, k, v};
}

PositionBlocks position_blocks(ModelBuilder& m, std::string_view axis, int64_t t) {
  const Group group = m.group(axis);
  const int64_t count = m.builder().mesh().size(group);
  return {group, count, (t + count - 1) / count, t % count != 0};
}

ValueId block_positions(ModelBuilder& m, const PositionBlocks& blocks, std::string name, const Location& location) {
  const ValueId index = m.op(AxisIndex{blocks.axis}, {}, "", location);
  const ValueId first = m.with_constant(Multiply{}, index, Rational(blocks.length), "", location);
  const ValueId offset = m.op(Iota{DType::i32, {blocks.length}, 0}, {}, "", location);
  return m.add(offset, m.broadcast_like(first, {}, offset, "", location), std::move(name), location);
}

Mask attention_mask(ModelBuilder& m, ValueId queries, const AttentionSizes& sizes, const PositionBlocks& blocks,
                    const Location& location) {
  if (sizes.causal) return {queries};
  if (!blocks.padded) return {};
  return {m.constant_like(queries, Rational(sizes.t - 1), "last", location)};
}

ValueId scale_queries(ModelBuilder& m, ValueId q, const AttentionSizes& sizes, std::string name,
                      const Location& location) {
  const Rational scale = Rational::from_double(1 / std::sqrt(static_cast<double>(sizes.d)));
  return m.with_constant(Multiply{}, q, scale, std::move(name), location);
}

ValueId scores_of(ModelBuilder& m, ValueId q, ValueId k, ValueId positions, const Mask& mask, const std::string& suffix,
                  const Location& location) {
  const ValueId all = products(m, q, k, (mask.last.valid() ? "products" : "scores") + suffix, location);
  if (!all.valid() || !mask.last.valid()) return all;
  const Shape pairs{m.shape(all)[2], m.shape(all)[3]};
  const ValueId position = m.op(BroadcastInDim{{1}, pairs}, {positions}, "", location);
  const ValueId last = m.op(BroadcastInDim{{0}, pairs}, {mask.last}, "", location);
  const ValueId visible = m.op(Compare{Direction::le}, {position, last}, "visible" + suffix, location);
  return hide(m, all, visible, "scores" + suffix, location);
}

ValueId view_values(ModelBuilder& m, GlobalId v, const Layout& layout, const PositionBlocks& blocks, std::string name,
                    const Location& location) {
  if (!blocks.padded) return m.view(v, layout, std::move(name), {}, location);
  const ValueId block = m.view(v, layout, "padded", {}, location);
  if (!block.valid()) return {};
  const ValueId own = m.op(BlockSize{v, layout, 2}, {}, "own", location);
  const ValueId offset = m.op(Iota{DType::i32, m.shape(block), 2}, {}, "", location);
  const ValueId real =
      m.op(Compare{Direction::lt}, {offset, m.broadcast_like(own, {}, offset, "", location)}, "real", location);
  return m.op(Select{}, {real, block, m.constant_like(block, Rational(0), "", location)}, std::move(name), location);
}

BlockSums sum_block(ModelBuilder& m, ValueId scores, ValueId top, ValueId v, const std::string& suffix,
                    const Location& location) {
  const ValueId below =
      m.op(Subtract{}, {scores, m.broadcast_like(top, {0, 1, 2}, scores, "", location)}, "", location);
  const ValueId weights = m.op(Exponential{}, {below}, "weights" + suffix, location);
  const ValueId sum = m.op(Reduce{Reducer::add, {3}, {}}, {weights}, "sum" + suffix, location);
  return {top, sum, mix(m, weights, v, "out" + suffix, location)};
}

ValueId largest_scores(ModelBuilder& m, ValueId scores, std::string name, const Location& location) {
  const ValueId fixed = m.op(StopGradient{}, {scores}, "", location);
  return m.op(Reduce{Reducer::max, {3}, {}}, {fixed}, std::move(name), location);
}

ValueId per_query(ModelBuilder& m, ValueId x, ValueId like, const Location& location) {
  return m.broadcast_like(x, {0, 1, 2}, like, "", location);
}

std::optional<ProgramId> build_dense_attention(const AttentionGlobals& globals, const AttentionSizes& sizes,
                                               Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "attention", std::make_shared<const Mesh>(), sink);
  const Location here = Location::here();
  const ViewEntry all;
  const Layout whole{all, all, all, all};
  const ValueId q = m.view(globals.q, whole, "q"), k = m.view(globals.k, whole, "k"), v = m.view(globals.v, whole, "v");
  ValueId scores = products(m, scale_queries(m, q, sizes, "scaled"), k, sizes.causal ? "products" : "scores", here);
  if (sizes.causal) scores = hide(m, scores, causal_mask(m, sizes.t, "visible"), "scores", here);
  m.output("y", mix(m, softmax(m, scores, "a"), v, "y", here), whole);
  return m.finish();
}

}  // namespace isoshard
