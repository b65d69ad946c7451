#pragma once

#include "catalogue/models.h"

namespace isoshard {

/// Scaled dot-product attention: q, k, v and the result are [b, heads, t, d] (Vaswani et al. 2017).
struct AttentionSizes {
  int64_t b = 0, heads = 0, t = 0, d = 0;
  bool causal = false;  ///< a position sees itself and those before it
};

struct AttentionGlobals {
  GlobalId q, k, v;
};

/// The settings `b`, `heads`, `t`, `d` and `causal` of a model.
AttentionSizes attention_sizes(const ModelSettings& settings);
/// Those settings, for the list of a model that splits the positions over the axis `positions`, with that default of
/// `heads`.
std::vector<SettingInfo> attention_settings(const std::string& positions, int64_t heads);
/// Reports (C-value) a `wrong` among `mistakes`, which change the causal mask, where there is none.
bool mask_exists(const ModelSettings& settings, const std::string& model, const std::vector<std::string>& mistakes,
                 DiagnosticSink& sink);
AttentionGlobals declare_attention(Module& module, const AttentionSizes& sizes, Location location = Location::here());

/// Blocks of ceil(t / devices) positions over an axis; where t does not divide, the last ones are padded.
struct PositionBlocks {
  Group axis;
  int64_t count = 1;   ///< devices
  int64_t length = 0;  ///< of a block
  bool padded = false;

  ViewEntry entry() const { return ViewEntry{axis, 0, {}, padded ? Split::uneven : Split::equal}; }
};
PositionBlocks position_blocks(ModelBuilder& m, std::string_view axis, int64_t t);

/// The positions of this device's block: i32[length].
ValueId block_positions(ModelBuilder& m, const PositionBlocks& blocks, std::string name,
                        const Location& location = Location::here());

/// Up to which position a query sees keys: i32[queries], those of the queries where attention is causal, else the last
/// one. Invalid where nothing is hidden, no padding either.
struct Mask {
  ValueId last;
};
Mask attention_mask(ModelBuilder& m, ValueId queries, const AttentionSizes& sizes, const PositionBlocks& blocks,
                    const Location& location = Location::here());

/// q / sqrt(d).
ValueId scale_queries(ModelBuilder& m, ValueId q, const AttentionSizes& sizes, std::string name,
                      const Location& location = Location::here());
/// Products of scaled queries with keys at `positions` (i32[keys]), [b, heads, queries, keys]; -1e9 where the mask
/// hides them.
ValueId scores_of(ModelBuilder& m, ValueId q, ValueId k, ValueId positions, const Mask& mask, const std::string& suffix,
                  const Location& location = Location::here());

/// This device's block of the values, 0 where it is padding: a weight of 0 alone would not hide a NaN.
ValueId view_values(ModelBuilder& m, GlobalId v, const Layout& layout, const PositionBlocks& blocks, std::string name,
                    const Location& location = Location::here());

/// What a block of keys gives each of its queries: maxima and sums [b, heads, queries], and the weighted sum of
/// values [b, heads, queries, d], weights being exp(score - maximum).
struct BlockSums {
  ValueId top, sum, out;
};
/// `top` is what is subtracted.
BlockSums sum_block(ModelBuilder& m, ValueId scores, ValueId top, ValueId v, const std::string& suffix,
                    const Location& location = Location::here());
/// The largest score of every query, without a gradient: [b, heads, queries].
ValueId largest_scores(ModelBuilder& m, ValueId scores, std::string name, const Location& location = Location::here());
/// [b, heads, queries] repeated along d.
ValueId per_query(ModelBuilder& m, ValueId x, ValueId like, const Location& location = Location::here());

/// softmax(q kᵀ / sqrt(d)) v of a whole sequence on one device: the program @attention with output @y.
std::optional<ProgramId> build_dense_attention(const AttentionGlobals& globals, const AttentionSizes& sizes,
                                               Module& module, DiagnosticSink& sink);

}  // namespace isoshard
