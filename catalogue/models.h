#pragma once

#include <map>
#include <memory>
#include <string>

#include "catalogue/model_info.h"
#include "parallel/module/model_builder.h"

namespace isoshard {

/// What a model is made from: the mesh and every setting, defaults filled in and checked.
struct ModelSettings {
  std::shared_ptr<const Mesh> mesh;
  std::map<std::string, int64_t> numbers;
  std::map<std::string, std::string> words;

  int64_t number(const std::string& name) const { return numbers.at(name); }
  const std::string& word(const std::string& name) const { return words.at(name); }
};

/// One entry of the catalogue: what it is called, which sizes an axis has to divide, and how it is built.
struct Model {
  struct Split {
    std::string setting;
    std::string axis;
  };

  ModelInfo info;
  std::vector<Split> splits;
  /// Declares globals and builds the two programs; fails only on what the sink has reported.
  bool (*build)(const ModelSettings& settings, Module& module, DiagnosticSink& sink);
};

Model tp_mlp_model();
Model ring_matmul_model();
Model tp_attention_model();
Model sp_norm_model();
Model embedding_model();
Model vocab_parallel_cross_entropy_model();
Model moe_all_to_all_model();
Model scan_mlp_model();
Model ring_attention_model();
Model flash_merge_model();
Model top1_moe_model();
Model silu_two_ways_model();
Model fold_rng_over_axis_model();
Model scale_init_model();
Model split_array_over_mesh_model();
Model tp_dense_model();
Model tp_async_dense_model();
Model tp_layouts_model();
Model tp_async_mlp_model();
Model tp_classifier_model();
Model model_parallelism_wrapper_model();
Model stack_params_model();
Model unstack_params_model();
Model tp_transformer_block_model();
Model tp_transformer_model();
Model toy_model();
Model llm_toy_model();
Model execute_pipeline_model();
Model pipeline_module_model();
Model looping_pipeline_model();
Model shrew_pipeline_model();
Model scheduled_pipeline_model();
Model pp_classifier_model();
Model train_step_model();
Model tp_training_model();
Model pp_training_model();
Model dp_training_model();
/// async_gather, async_gather_bidirectional, async_gather_split, async_scatter and async_scatter_split.
std::vector<Model> ring_function_models();

/// `tp_mlp` with a residual stream whose features are split over the layer's axis: TPMLPBlock.
bool build_tp_mlp_split(const ModelSettings& settings, Activation activation, Module& module, DiagnosticSink& sink);

/// The setting `axis` of what works over one axis or a tuple of two, and the axes that it names: `inner`, or the tuple
/// (`outer`, `inner`).
SettingInfo layer_axis_setting(const std::string& inner = "model", const std::string& outer = "data");
Group layer_axis(const ModelSettings& settings, const std::string& inner = "model", const std::string& outer = "data");

/// Adds `check @left == @right`; false if one of them could not be built.
bool add_check(Module& module, std::optional<ProgramId> left, std::optional<ProgramId> right,
               Location location = Location::here());

}  // namespace isoshard
