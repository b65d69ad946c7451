// The program that draws the first values of all parameters from one key. A value is drawn behind the transforms of its
// parameter, from the outermost inwards, as Flax does: a scan over layers splits the key, a wrapper over devices folds
// in the index of the device, and at the end the path and the counter of the parameter are folded in
// (docs/spec/random.md, "Keys of modules"). A sharded dimension draws only the device's block of the whole, so that
// values do not depend on how parameters are sharded. Layers are drawn one by one and stacked; where layers themselves
// are split, the device cuts its own out. Cost: layers times parameters.
#include "parallel/training/init_program.h"

#include <algorithm>
#include <utility>

#include "parallel/layers/dropout.h"
#include "parallel/module/param_key.h"
#include "parallel/sharding/stack_params.h"

namespace isoshard {
namespace {

std::string parent_of(const ParamSpec& spec) {
  const std::string name = spec.name();
  const size_t slash = name.rfind('/');
  return slash == std::string::npos ? "" : name.substr(0, slash);
}

/// How many parameters the scope of `spec` draws.
int64_t draws_beside(const Params& params, const ParamSpec& spec) {
  const std::string parent = parent_of(spec);
  return std::count_if(params.specs().begin(), params.specs().end(),
                       [&](const ParamSpec& other) { return other.is_param && parent_of(other) == parent; });
}

/// The first value of one parameter, as its view reads it.
class Draws {
 public:
  Draws(ModelBuilder& m, const ParamSpec& spec, uint32_t word) : m_(m), spec_(spec), word_(word) {}

  /// Behind the first `done` transforms, which have made `key`.
  ValueId value(size_t done, ValueId key) {
    if (done == spec_.transforms.size()) return leaf(key);
    const ParamTransform& transform = spec_.transforms[done];
    if (transform.kind == ParamTransform::Kind::layers) return layers(transform.count, done, key);
    if (!spec_.is_param || transform.kind == ParamTransform::Kind::shard) return value(done + 1, key);
    const ValueId own = transform.split_rngs ? fold_rng_over_axis(m_, key, transform.axis) : key;
    const ValueId x = value(done + 1, own);
    return transform.mask_except ? masked(x, transform.axis, *transform.mask_except) : x;
  }

 private:
  ValueId leaf(ValueId key) {
    const ValueId word = m_.op(Constant{Rational(static_cast<int64_t>(word_)), DType::u32, {}}, {});
    return spec_.initializer(m_, m_.op(RngFoldIn{}, {key, word}), block());
  }

  /// What the device keeps of the parameter of one layer.
  Draw block() {
    Shape shape;
    Layout layout;
    for (const ParamDim& dim : spec_.dims()) {
      if (dim.made_by) continue;
      shape.push_back(dim.local());
      layout.push_back(ViewEntry{dim.axis});
    }
    return draw_block(m_, shape, layout);
  }

  /// x, the values of all layers, or the device's block of them where the layers are split.
  ValueId own_layers(size_t index, ValueId x) {
    for (const ParamDim& dim : spec_.dims()) {
      if (dim.made_by == index && dim.shard) return m_.op(SliceBlock{dim.axis, 0}, {x});
    }
    return x;
  }

  /// The values of all layers along a new first dimension.
  ValueId layers(int64_t count, size_t done, ValueId key) {
    const ValueId keys = m_.op(RngSplit{count}, {key});
    std::vector<ValueId> values;
    for (int64_t l = 0; l < count; ++l) values.push_back(value(done + 1, m_.element(keys, l)));
    return own_layers(done, m_.stack(values));
  }

  /// x on the device `index` of `axis`, zeros elsewhere.
  ValueId masked(ValueId x, const Group& axis, int64_t index) {
    return only_on_device(m_, x, axis, m_.op(Constant{Rational(index), DType::i32, {}}, {}));
  }

  ModelBuilder& m_;
  const ParamSpec& spec_;
  uint32_t word_;
};

}  // namespace

std::optional<ProgramId> build_init_program(const Params& params, GlobalId key, const std::string& name,
                                            const std::shared_ptr<const Mesh>& mesh, Module& module,
                                            DiagnosticSink& sink) {
  ModelBuilder m(module, name, mesh, sink);
  return update_with_first_values(m, params, m.view(key, {}, "key")) ? m.finish() : std::nullopt;
}

bool update_with_first_values(ModelBuilder& m, const Params& params, ValueId base) {
  for (const ParamSpec& spec : params.specs()) {
    const std::vector<std::string> scope(spec.path.begin(), spec.path.end() - 1);
    const int64_t draws = std::max(spec.draw, draws_beside(params, spec));
    const uint32_t word = param_fold(scope, draw_counter(draws, spec.draw, spec.scans()));
    const ValueId value = Draws(m, spec, word).value(0, base);
    if (!value.valid()) return false;
    m.builder().update(spec.global, value, spec.layout());
  }
  return true;
}

std::optional<InitProgram> find_init_program(const Module& module, ProgramId program) {
  const std::optional<ProgramId> init = module.find_program(module.program(program).name() + kInitSuffix);
  const std::optional<GlobalId> key = module.find_global(kInitKeyName);
  if (!init || !key) return std::nullopt;
  return InitProgram{*init, *key};
}

bool is_init_program(const Module& module, ProgramId program) {
  const std::string suffix = kInitSuffix, name = module.program(program).name();
  if (!name.ends_with(suffix) || !module.find_global(kInitKeyName)) return false;
  return module.find_program(name.substr(0, name.size() - suffix.size())).has_value();
}

bool add_init_program(const Params& params, const std::string& name, const std::shared_ptr<const Mesh>& mesh,
                      Module& module, DiagnosticSink& sink) {
  if (params.specs().empty()) return true;
  const GlobalId key = declare_key(module, kInitKeyName);
  return build_init_program(params, key, name + kInitSuffix, mesh, module, sink).has_value();
}

}  // namespace isoshard
