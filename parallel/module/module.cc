// Scopes: where a module stands, what it is called and which keys it draws, as Flax would have it
// (docs/adr/0018-modules.md). A scope is a small value that is copied: its path and the transforms around it. What
// scopes of one module share, names that are taken and counters of draws, hangs on a pointer, as does the frame, which
// says how parameters are read and which base keys there are. So a region that captures nothing, as the body of a scan,
// only needs another frame. The key of a parameter follows from its path and a counter alone (docs/spec/random.md,
// "Keys of modules"), so that it does not depend on what other modules draw. Cost: the depth of the scope per
// parameter.
#include "parallel/module/module.h"

#include <algorithm>
#include <utility>

#include "core/support/check.h"
#include "parallel/module/param_key.h"

namespace isoshard {
namespace {

std::string joined_by(const std::vector<std::string>& words, char by) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(1, by)) + word;
  return text;
}

bool is_word(const std::string& name) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), good);
}

/// How `sim` draws a parameter that is not given; its true beginning is that of the init program.
InitKind init_kind(const Initializer& initializer) {
  return initializer.name == "zeros" ? InitKind::zeros : initializer.name == "ones" ? InitKind::ones : InitKind::normal;
}

}  // namespace

std::string Params::global_name(const ParamSpec& spec) const { return prefix_ + joined_by(spec.path, '.'); }

ValueId Params::read(ModelBuilder& m, ParamSpec spec) {
  const std::string name = global_name(spec);
  if (m.module().find_global(name)) {
    return m.error("C-param", "the module has a global @" + name +
                                  " already; expected another name for the parameter " + spec.name());
  }
  spec.global = declare(m.module(), name, spec.global_shape(), spec.is_param ? Role::param : Role::state,
                        init_kind(spec.initializer));
  specs_.push_back(spec);
  return m.view(spec.global, spec.layout(), name);
}

/// What one module has named and drawn so far.
struct Scope::Names {
  std::set<std::string> taken;
  std::map<std::string, int64_t> classes, draws;
};

Scope::Scope(ModelBuilder& m, ParamReader reader)
    : frame_(std::make_shared<Frame>()), names_(std::make_shared<Names>()) {
  frame_->m = &m;
  frame_->reader = std::move(reader);
}

Scope::Scope(ModelBuilder& m, Params& params)
    : Scope(m, [&params](ModelBuilder& builder, const ParamSpec& spec) { return params.read(builder, spec); }) {}

ModelBuilder& Scope::m() const { return *frame_->m; }

bool Scope::take(const std::string& name) {
  const std::string where = path_.empty() ? "the root module" : "the module " + joined_by(path_, '/');
  if (!is_word(name)) {
    m().error("C-param", where + ": the name \"" + name + "\"; expected letters, digits and `_`");
    return false;
  }
  if (names_->taken.insert(name).second) return true;
  m().error("C-param", where + ": the name " + name + " is taken; expected each child and parameter to have its own");
  return false;
}

Scope Scope::child(const std::string& name) {
  take(name);
  Scope result = *this;
  result.names_ = std::make_shared<Names>();
  result.path_.push_back(name);
  result.terms_ = {};
  return result;
}

Scope Scope::next_child(const std::string& class_name) {
  return child(class_name + "_" + std::to_string(names_->classes[class_name]++));
}

Scope Scope::transformed(ParamTransform transform) const {
  Scope result = *this;
  result.transforms_.push_back(std::move(transform));
  return result;
}

Scope Scope::in_micro_batches() const {
  Scope result = *this;
  ++result.micro_batch_scans_;
  return result;
}

Scope Scope::giving_terms(const Group& axis) const {
  Scope result = *this;
  result.terms_ = axis;
  return result;
}

Scope Scope::in_frame(std::shared_ptr<Frame> frame) const {
  Scope result = *this;
  result.frame_ = std::move(frame);
  result.names_ = std::make_shared<Names>();
  return result;
}

int64_t Scope::scans(const std::string& stream) const {
  const int64_t layers = std::count_if(transforms_.begin(), transforms_.end(), [](const ParamTransform& transform) {
    return transform.kind == ParamTransform::Kind::layers;
  });
  return layers + (stream == "params" ? 0 : micro_batch_scans_);
}

ValueId Scope::value_of(const ParamSpec& spec) const {
  ValueId value = frame_->reader(m(), spec);
  if (!value.valid()) return {};
  for (const ParamSpec::Gather& gather : spec.gathers(scans("params"))) {
    const DType dtype = m().builder().type(value).tensor.dtype;
    value = gather_array(m(), value, gather.axis, gather.dim, gather.options);
    if (gather.options.gather_dtype.value_or(dtype) != dtype) value = m().op(Convert{dtype}, {value});
  }
  return value;
}

ValueId Scope::read(const std::string& name, const Initializer& initializer, const Shape& shape, bool is_param) {
  if (!take(name)) return {};
  ParamSpec spec{path_, shape, initializer, transforms_, 1, is_param, {}};
  spec.path.push_back(name);
  if (is_param) spec.draw = ++names_->draws["params"];
  return value_of(spec);
}

ValueId Scope::param(const std::string& name, const Initializer& initializer, const Shape& shape) {
  return read(name, initializer, shape, true);
}

ValueId Scope::variable(const std::string& name, const Initializer& initializer, const Shape& shape) {
  if (micro_batch_scans_ == 0) return read(name, initializer, shape, false);
  return m().error("C-pipeline", "the module " + joined_by(path_, '/') + " has the variable " + name +
                                     " inside a pipeline, whose micro-batches share parameters only; expected a "
                                     "parameter, or a module without state");
}

void Scope::set_key(const std::string& stream, ValueId key) {
  frame_ = std::make_shared<Frame>(*frame_);
  frame_->keys[stream] = key;
}

ValueId Scope::make_key(const std::string& stream) {
  const auto base = frame_->keys.find(stream);
  if (micro_batch_scans_ > 0 && stream != "params" && stream != "dropout") {
    return m().error("C-pipeline", "the module " + joined_by(path_, '/') + " draws a key of the stream `" + stream +
                                       "` inside a pipeline; expected `dropout`, the stream that micro-batches split");
  }
  if (base == frame_->keys.end()) {
    return m().error("C-key", "the module " + joined_by(path_, '/') + " draws a key of the stream `" + stream +
                                  "`, which has none; expected set_key on an enclosing scope");
  }
  const int64_t draw = ++names_->draws[stream];
  const std::string place = stream + ":" + joined_by(path_, '/');
  int64_t draws = draw;
  if (frame_->draws && frame_->counting) (*frame_->draws)[place] = draw;
  if (frame_->draws && !frame_->counting) draws = frame_->draws->at(place);
  const uint32_t word = param_fold(path_, draw_counter(draws, draw, scans(stream)));
  const ValueId fold = m().op(Constant{Rational(static_cast<int64_t>(word)), DType::u32, {}}, {});
  return m().op(RngFoldIn{}, {base->second, fold});
}

}  // namespace isoshard
