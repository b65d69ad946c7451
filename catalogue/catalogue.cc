#include "catalogue/catalogue.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "catalogue/data_parallel_models.h"
#include "core/support/check.h"
#include "core/support/quoted.h"
#include "parallel/sharding/initialize_mesh.h"

namespace isoshard {
namespace {

constexpr int64_t kMaxNumber = 1'000'000;

const std::vector<Model>& models() {
  static const std::vector<Model> all = [] {
    std::vector<Model> list{tp_mlp_model(),
                            ring_matmul_model(),
                            tp_attention_model(),
                            sp_norm_model(),
                            embedding_model(),
                            vocab_parallel_cross_entropy_model(),
                            moe_all_to_all_model(),
                            scan_mlp_model(),
                            ring_attention_model(),
                            flash_merge_model(),
                            top1_moe_model(),
                            silu_two_ways_model(),
                            fold_rng_over_axis_model(),
                            scale_init_model(),
                            tp_dense_model(),
                            tp_async_dense_model(),
                            tp_layouts_model(),
                            tp_async_mlp_model(),
                            tp_classifier_model(),
                            tp_transformer_block_model(),
                            tp_transformer_model(),
                            toy_model(),
                            llm_toy_model(),
                            model_parallelism_wrapper_model(),
                            stack_params_model(),
                            unstack_params_model(),
                            execute_pipeline_model(),
                            pipeline_module_model(),
                            looping_pipeline_model(),
                            shrew_pipeline_model(),
                            scheduled_pipeline_model(),
                            pp_classifier_model(),
                            split_array_over_mesh_model(),
                            train_step_model(),
                            tp_training_model(),
                            pp_training_model(),
                            dp_training_model()};
    for (Model& model : data_parallel_models()) list.push_back(std::move(model));
    for (Model& model : ring_function_models()) list.push_back(std::move(model));
    return list;
  }();
  return all;
}

template <class Item>
std::vector<std::string> names_of(const std::vector<Item>& items) {
  std::vector<std::string> names;
  names.reserve(items.size());
  for (const Item& item : items) names.push_back(item.name);
  return names;
}

std::string joined_with_and(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i != 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

/// "; did you mean X?" or "; there are A, B and C".
std::string suggestion(std::string_view word, const std::vector<std::string>& names) {
  const std::string closest = closest_name(word, names);
  if (!closest.empty()) return "; did you mean " + closest + "?";
  return (names.size() == 1 ? "; there is only " : "; there are ") + joined_with_and(names);
}

std::optional<int64_t> parse_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

template <class Item>
const Item* find(const std::vector<Item>& items, std::string_view name) {
  const auto it = std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return it == items.end() ? nullptr : &*it;
}

/// Reads the user's part of a request against one model.
class RequestReader {
 public:
  RequestReader(const ModelInfo& info, DiagnosticSink& sink) : info_(info), sink_(sink) {}

  std::optional<ModelSettings> read(const ModelRequest& request) {
    ModelSettings result;
    read_mesh(request.mesh, result);
    read_settings(request.settings, result);
    if (failed_) return std::nullopt;
    return result;
  }

  void check_split(const Model::Split& split, const ModelSettings& settings) {
    const int64_t number = settings.number(split.setting);
    const int64_t size = settings.mesh->axis(*settings.mesh->find(split.axis)).size;
    if (number % size == 0) return;
    const int64_t below = number / size * size;
    error("C-divide", split.setting + " = " + std::to_string(number) + " is not divisible by " + std::to_string(size) +
                          ", the size of `" + split.axis + "`; try " + split.setting + " = " +
                          (below > 0 ? std::to_string(below) + " or " : "") + std::to_string(below + size));
  }

  bool failed() const { return failed_; }

 private:
  void error(std::string rule, const std::string& message) {
    sink_.error(std::move(rule), Location(), info_.name + ": " + message);
    failed_ = true;
  }

  template <class Item>
  void check_twice(const std::vector<Item>& given, size_t i, const std::string& kind) {
    const bool twice = std::any_of(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](const Item& earlier) { return earlier.name == given[i].name; });
    if (twice) error("C-twice", kind + " `" + given[i].name + "` is given twice; expected once");
  }

  void read_mesh(const std::vector<MeshAxis>& given, ModelSettings& result) {
    for (size_t i = 0; i < given.size(); ++i) {
      check_twice(given, i, "axis");
      if (find(info_.axes, given[i].name) != nullptr) continue;
      error("C-axis",
            "the model has no axis " + quoted(given[i].name) + suggestion(given[i].name, names_of(info_.axes)));
    }
    std::vector<MeshAxis> axes;
    int64_t devices = 1;
    for (const AxisInfo& axis : info_.axes) {
      const MeshAxis* own = find(given, axis.name);
      const int64_t size = own == nullptr ? axis.size : own->size;
      if (size < 1 || size > kMaxDevices / devices) return size_error(axis.name, size);
      devices *= size;
      axes.push_back(MeshAxis{axis.name, size});
    }
    result.mesh = std::make_shared<const Mesh>("m", std::move(axes));
  }

  void size_error(const std::string& axis, int64_t size) {
    error("C-size", "axis `" + axis + "` has size " + std::to_string(size) +
                        "; expected at least 1 and less than 2^31 devices in all");
  }

  void read_settings(const std::vector<SettingValue>& given, ModelSettings& result) {
    for (size_t i = 0; i < given.size(); ++i) {
      check_twice(given, i, "setting");
      if (find(info_.settings, given[i].name) != nullptr) continue;
      error("C-setting",
            "the model has no setting " + quoted(given[i].name) + suggestion(given[i].name, names_of(info_.settings)));
    }
    for (const SettingInfo& setting : info_.settings) {
      const SettingValue* own = find(given, setting.name);
      if (setting.is_word()) {
        read_word(setting, own, result);
      } else {
        read_number(setting, own, result);
      }
    }
  }

  void read_word(const SettingInfo& setting, const SettingValue* own, ModelSettings& result) {
    const std::string& word = own == nullptr ? setting.choices.front() : own->value;
    if (std::find(setting.choices.begin(), setting.choices.end(), word) == setting.choices.end()) {
      error("C-value", "`" + setting.name + "` is " + quoted(word) + suggestion(word, setting.choices));
    }
    result.words[setting.name] = word;
  }

  void read_number(const SettingInfo& setting, const SettingValue* own, ModelSettings& result) {
    std::optional<int64_t> number;
    if (own != nullptr) {
      number = parse_number(own->value);
    } else if (result.mesh) {
      number = default_number(setting, *result.mesh);
    } else {
      return;  // the mesh is reported already
    }
    if (!number || *number < 1 || *number > kMaxNumber) {
      error("C-value", "`" + setting.name + "` is " + (own == nullptr ? setting.default_text() : quoted(own->value)) +
                           "; expected an integer from 1 to " + std::to_string(kMaxNumber));
      return;
    }
    result.numbers[setting.name] = *number;
  }

  static int64_t default_number(const SettingInfo& setting, const Mesh& mesh) {
    if (setting.per_axis.empty()) return setting.value;
    return setting.value * mesh.axis(*mesh.find(setting.per_axis)).size;
  }

  const ModelInfo& info_;
  DiagnosticSink& sink_;
  bool failed_ = false;
};

const Model* find_entry(std::string_view name) {
  for (const Model& model : models()) {
    if (model.info.name == name) return &model;
  }
  return nullptr;
}

}  // namespace

const std::vector<ModelInfo>& catalogue() {
  static const std::vector<ModelInfo> infos = [] {
    std::vector<ModelInfo> result;
    for (const Model& model : models()) result.push_back(model.info);
    return result;
  }();
  return infos;
}

const ModelInfo* find_model(std::string_view name) { return find(catalogue(), name); }

bool add_check(Module& module, std::optional<ProgramId> left, std::optional<ProgramId> right, Location location) {
  if (!left || !right) return false;
  module.checks.push_back(Check{*left, *right, std::move(location)});
  return true;
}

std::optional<Module> make_model(const ModelRequest& request, DiagnosticSink& sink) {
  const Model* model = find_entry(request.name);
  if (model == nullptr) {
    const std::string closest = closest_name(request.name, names_of(catalogue()));
    sink.error("C-model", Location(),
               "the catalogue has no model " + quoted(request.name) +
                   (closest.empty() ? "; `isoshard models` lists them" : "; did you mean " + closest + "?"));
    return std::nullopt;
  }
  RequestReader reader(model->info, sink);
  const std::optional<ModelSettings> settings = reader.read(request);
  if (!settings) return std::nullopt;
  for (const Model::Split& split : model->splits) reader.check_split(split, *settings);
  if (reader.failed()) return std::nullopt;
  Module module;
  module.meshes.push_back(settings->mesh);
  if (!model->build(*settings, module, sink)) {
    ISOSHARD_CHECK(sink.has_errors(), "a model failed without an error");
    return std::nullopt;
  }
  return module;
}

}  // namespace isoshard
