// The files of examples/ elaborate on every mesh of 1, 2, 3, 4, 6 and 8 devices, and the states reject what
// docs/examples.md says they reject.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>

#include "core/support/result.h"
#include "core/text/text.h"

namespace isoshard::catalogue_examples_test {
namespace {

using ::testing::StartsWith;

struct Example {
  std::string file;
  std::vector<std::string> axes;
  /// Start of each state error of `@wrong`, as "rule: message"; none where the states accept the program.
  std::vector<std::string> wrong_errors;
  /// Sizes that divide by every mesh, where those of the file do not.
  std::vector<std::pair<std::string, std::string>> settings = {};
};

/// For the names of tests, which would hold the bytes of the struct.
void PrintTo(const Example& example, std::ostream* out) { *out << example.file; }

std::optional<Module> load(const std::string& file, const text::ElaborateOptions& options) {
  const Result<std::shared_ptr<const SourceFile>> source = text::read_source("examples/" + file);
  if (!source) {
    ADD_FAILURE() << source.error().message;
    return std::nullopt;
  }
  DiagnosticSink sink;
  std::optional<Module> module = text::parse_module(*source, options, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  return module;
}

std::vector<std::string> state_errors(const Module& module, const std::string& program) {
  const std::optional<ProgramId> id = module.find_program(program);
  EXPECT_TRUE(id.has_value()) << program;
  std::vector<std::string> result;
  if (!id) return result;
  for (const Diagnostic& d : module.state_errors(*id)) result.push_back(d.rule + ": " + d.message);
  return result;
}

std::vector<text::ElaborateOptions> all_meshes(const std::vector<std::string>& axes) {
  std::vector<text::ElaborateOptions> result;
  for (const int64_t a : {1, 2, 3, 4, 6, 8}) {
    for (const int64_t b : {1, 2, 3, 4, 6, 8}) {
      if (a * b > 8 || (axes.size() == 1 && b != 1)) continue;
      text::ElaborateOptions options;
      options.mesh_sizes.push_back({axes[0], a});
      if (axes.size() == 2) options.mesh_sizes.push_back({axes[1], b});
      result.push_back(options);
    }
  }
  return result;
}

std::vector<Example> examples() {
  const std::vector<std::string> two{"data", "model"};
  return {
      {"tp_mlp.shard", two, {}},
      {"blocks/async_gather_bidirectional.shard", {"tp"}, {}},
      {"blocks/bf16_ring_sum.shard", {"tp"}, {}},
      {"blocks/embed_norm.shard", {"tp"}, {}},
      {"blocks/fold_rng.shard", {"dp", "tp"}, {}},
      {"blocks/fsdp_gather.shard", {"fsdp", "tp"}, {}, {{"rows", "24"}}},
      {"blocks/fused_projection.shard", {"tp"}, {}},
      {"blocks/gpipe.shard", {"pp"}, {}},
      {"blocks/looping_pipeline.shard", {"pp"}, {}},
      {"blocks/pipeline_bubbles.shard", {"pp"}, {}},
      {"blocks/pipeline_kwargs.shard", {"pp"}, {}},
      {"blocks/split_array_remainder.shard", {"tp"}, {}},
      {"blocks/tp_attention.shard", {"tp"}, {}},
      {"blocks/tp_async_dense.shard", {"tp"}, {}},
      {"blocks/tp_async_mlp_block.shard", {"tp"}, {}},
      {"blocks/tp_mlp_block.shard", {"tp"}, {}},
      {"blocks/gradient_factor.shard", {"tp"}, {}},
      {"blocks/unchecked_gradient.shard", {"dp", "tp"}, {}, {{"b", "24"}, {"f", "48"}}},
      {"blocks/sgd_step_unchecked.shard", two, {}, {{"b", "24"}, {"f", "24"}}},
      {"plans/dense.shard", {"x"}, {}, {{"rows", "24"}}},
      {"fsdp_tp_adamw.shard", {"fsdp", "tp"}, {}, {{"b", "24"}, {"d", "24"}, {"f", "24"}}},
      {"gqa_rope_block.shard", {"tp"}, {}, {{"h", "24"}, {"kv", "24"}, {"f", "48"}}},
      {"kv_decode.shard", {"tp"}, {}, {{"h", "24"}, {"T", "24"}}},
      {"moe_top2.shard", {"ep"}, {}, {{"n", "24"}, {"E", "24"}}},
      {"pipeline_head.shard", {"pp"}, {}},
      {"pipeline_1f1b.shard", {"pp"}, {}},
      {"pipeline_scanned.shard", {"pp"}, {}},
      {"pipeline_interleaved.shard", {"pp"}, {}},
      {"pipeline_there_and_back.shard", {"pp"}, {}},
      {"pipeline_zero_bubble.shard", {"pp"}, {}},
      {"wrong/pipeline_mean_twice.shard", {"pp"}, {}},
      {"wrong/pipeline_placement.shard", {"pp"}, {}},
      {"blocks/loss_conventions.shard", {"tp"}, {}},
      {"blocks/fsdp_gradients.shard", {"fsdp"}, {"S-all_reduce: all_reduce: the operand %gkernel is V over `fsdp`"}},
      {"blocks/sync_gradients.shard", {"dp", "fsdp"}, {"S-return: return: %sbias for @bias_gradient is P over `fsdp`"}},
      {"blocks/tp_dense_gather.shard", {"tp"}, {}},
      {"blocks/tp_dense_scatter_bias.shard",
       {"tp"},
       {"S-linear: add: %z (P) and %biases (R) do not combine over `tp`"}},
      {"canonical.shard", two, {}, {{"b", "24"}, {"f", "48"}}},
      {"convolution.shard", two, {}},
      {"embedding.shard", two, {}},
      {"gradient_check.shard", two, {}},
      {"native_all_reduce.shard", {"model"}, {}},
      {"quantized.shard", {"model"}, {}},
      {"remat.shard", {"model"}, {}},
      {"ring_attention.shard", {"seq"}, {}},
      {"ring_both_ways.shard", {"model"}, {}},
      {"ring_matmul.shard", {"model"}, {}},
      {"blocks/dropout_by_coordinates.shard", {"data", "model"}, {}},
      {"scan_layers.shard", {"model"}, {}},
      {"sgd_momentum.shard", two, {}},
      {"sgd_step.shard", two, {}},
      {"train_step.shard", {"data", "tp"}, {}, {{"d", "24"}, {"f", "24"}}},
      {"uneven_rows.shard", {"data"}, {}},
      {"wrong/missing_all_reduce.shard", two, {"S-linear: add: %p (P) and %e (I) do not combine over `model`"}},
      {"wrong/missing_all_reduce.untyped.shard", two, {}},
      {"wrong/doubled_all_reduce.shard", two, {"S-all_reduce: all_reduce: the operand %r is I over `model`"}},
      {"wrong/doubled_all_reduce.untyped.shard", two, {}},
      {"wrong/wrong_axis.shard",
       two,
       {"S-all_reduce: all_reduce: the operand %p is V over `data`",
        "S-linear: add: %r (P) and %e (I) do not combine over `model`"}},
      {"wrong/wrong_axis.untyped.shard", two, {}},
      {"wrong/bias_on_every_rank.shard", two, {"S-linear: add: %p (P) and %e (I) do not combine over `model`"}},
      {"wrong/bias_on_every_rank.untyped.shard", two, {}},
      {"wrong/reversed_ring.shard", {"model"}, {}},
      {"wrong/local_maximum.shard", {"keys"}, {}},
      {"wrong/missing_rescale.shard", {"seq"}, {}},
      {"wrong/opposite_rings.shard", {"seq"}, {}},
      {"wrong/off_by_one_slice.shard", {"seq"}, {}},
      {"wrong/unscaled_mean.shard", {"data"}, {}},
      {"wrong/transposed_shard_order.shard", two, {}},
      {"wrong/stale_momentum.shard", two, {}},
      {"wrong/gradient_of_local_mean.shard", {"data"}, {}},
      {"wrong/stopped_gradient.shard", two, {}},
      {"wrong/norm_gain_not_reduced.shard",
       {"data", "tp"},
       {"S-bilinear: multiply: %gg (P) and %gg (P) do not multiply over `tp`"},
       {{"d", "24"}, {"f", "24"}}},
      {"wrong/mean_of_means.shard", {"data", "tp"}, {}, {{"d", "24"}, {"f", "24"}}},
      {"wrong/moments_of_own_gradients.shard",
       {"data", "tp"},
       {"S-slice_block: slice_block: %pW is P over `data` and cannot become V"},
       {{"d", "24"}, {"f", "24"}}},
      {"wrong/clip_by_local_norm.shard",
       {"data", "tp"},
       {"S-return: update: %mgn for @mg is V over `data`", "S-return: update: %mgn for @mg is V over `tp`",
        "S-return: update: %vgn for @vg is V over `data`", "S-return: update: %vgn for @vg is V over `tp`",
        "S-return: update: %ng1 for @g is V over `data`", "S-return: update: %ng1 for @g is V over `tp`"},
       {{"d", "24"}, {"f", "24"}}},
      {"wrong/missing_gradient_sum.shard",
       two,
       {"S-slice_block: slice_block: %p is P over `data` and cannot become V"}},
      {"wrong/missing_gradient_sum.untyped.shard", two, {}},
      {"wrong/doubled_gradient_sum.shard",
       two,
       {"S-reduce_scatter: reduce_scatter: the operand %g1 is R over `data`; expected P"}},
      {"wrong/doubled_gradient_sum.untyped.shard", two, {}},
      {"wrong/embedding_offset.shard", two, {}},
      {"wrong/unmasked_padding.shard", {"data"}, {}},
  };
}

class Examples : public ::testing::TestWithParam<Example> {};

TEST_P(Examples, ElaborateOnEveryMeshAndOnlyWrongProgramsHaveStateErrors) {
  for (text::ElaborateOptions options : all_meshes(GetParam().axes)) {
    options.settings = GetParam().settings;
    const std::optional<Module> module = load(GetParam().file, options);
    ASSERT_TRUE(module.has_value());
    EXPECT_FALSE(module->checks.empty());
    for (const Program& program : module->programs) {
      if (program.name() == "wrong") continue;
      EXPECT_EQ(program.state_errors().size(), 0U) << program.name();
    }
  }
}

TEST_P(Examples, StatesRejectWhatTheDocumentSays) {
  const std::optional<Module> module = load(GetParam().file, {});
  ASSERT_TRUE(module.has_value());
  if (!module->find_program("wrong")) return;
  const std::vector<std::string> errors = state_errors(*module, "wrong");
  ASSERT_EQ(errors.size(), GetParam().wrong_errors.size()) << ::testing::PrintToString(errors);
  for (size_t i = 0; i < errors.size(); ++i) EXPECT_THAT(errors[i], StartsWith(GetParam().wrong_errors[i]));
}

TEST(AllExamples, AreListed) {
  std::vector<std::string> listed, found;
  for (const Example& example : examples()) listed.push_back(example.file);
  for (const auto& entry : std::filesystem::recursive_directory_iterator("examples")) {
    if (entry.path().extension() != ".shard") continue;
    found.push_back(std::filesystem::relative(entry.path(), "examples").generic_string());
  }
  EXPECT_THAT(listed, ::testing::UnorderedElementsAreArray(found));
}

TEST_P(Examples, PrintToAFixpoint) {
  const std::optional<Module> module = load(GetParam().file, {});
  ASSERT_TRUE(module.has_value());
  const std::string once = text::print(*module);
  DiagnosticSink sink;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"printed.shard", once});
  const std::optional<Module> again = text::parse_module(file, {}, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(text::print(*again), once);
}

std::string name_of(const ::testing::TestParamInfo<Example>& example) {
  std::string name = example.param.file.substr(0, example.param.file.rfind(".shard"));
  for (char& c : name) c = c == '/' || c == '.' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(AllFiles, Examples, ::testing::ValuesIn(examples()), name_of);

}  // namespace
}  // namespace isoshard::catalogue_examples_test
