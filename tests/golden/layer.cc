#include "tests/golden/layer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/value/threefry.h"
#include "parallel/module/rng.h"
#include "tests/golden/device_layout.h"
#include "tests/golden/gradients.h"
#include "tests/golden/module_run.h"
#include "tests/golden/same_bits.h"

namespace isoshard::golden {

Layer::Layer(std::shared_ptr<const Mesh> on, const Shape& local_x, const Build& build, bool typed,
             std::optional<uint32_t> dropout)
    : mesh(std::move(on)) {
  Shape whole = local_x;
  whole.insert(whole.begin(), mesh->device_count());
  const GlobalId x = declare(module, "x", whole, Role::input, InitKind::normal);
  ModelBuilder m(module, "p", mesh, sink, BuilderOptions{ProgramKind::program, typed, {}});
  Scope root(m, params);
  if (dropout) root.set_key("dropout", prng_key(m, *dropout));
  const ValueId y = build(root, m.view(x, of_each_device(*mesh, local_x.size()), "x"));
  if (!y.valid()) return;
  m.output("y", y, of_each_device(*mesh, m.shape(y).size()));
  program = m.finish();
  if (program && !add_init_program(params, "p", mesh, module, sink)) program = std::nullopt;
}

std::string Layer::messages() const {
  std::string text;
  for (const Diagnostic& d : sink.diagnostics()) text += d.rule + " " + d.message + "\n";
  return text;
}

void Layer::check_built() const {
  if (!program) throw std::runtime_error("not built: " + messages());
}

std::map<std::string, Tensor> Layer::init(uint64_t key) const {
  check_built();
  std::map<std::string, Tensor> result;
  const std::optional<InitProgram> init = find_init_program(module, *program);
  if (!init) throw std::runtime_error("no init program");
  const Tensor array = Tensor::from<uint64_t>(DType::key, {}, std::vector{key});
  for (const auto& [name, tensor] : run_program(module, init->program, {{module.global(init->key).name, array}})) {
    std::string path = name;
    std::replace(path.begin(), path.end(), '.', '/');
    result[path] = tensor;
  }
  return result;
}

std::map<std::string, Tensor> Layer::given(const std::map<std::string, Tensor>& by_path,
                                           const std::vector<Tensor>& x) const {
  check_built();
  std::map<std::string, Tensor> result{{"x", stacked(x)}};
  for (const auto& [path, tensor] : by_path) {
    std::string name = path;
    std::replace(name.begin(), name.end(), '/', '.');
    result[name] = tensor;
  }
  return result;
}

Tensor Layer::output(const std::map<std::string, Tensor>& by_path, const std::vector<Tensor>& x) const {
  return run_program(module, *program, given(by_path, x)).at("y");
}

std::map<std::string, Tensor> Layer::gradients(const std::map<std::string, Tensor>& by_path,
                                               const std::vector<Tensor>& x, const std::vector<Tensor>& c) const {
  std::map<std::string, Tensor> result;
  for (const auto& [name, tensor] : run_gradients(module, *program, given(by_path, x), {{"y", stacked(c)}})) {
    std::string path = name;
    std::replace(path.begin(), path.end(), '.', '/');
    result[path] = tensor;
  }
  return result;
}

Tensor Layer::stacked(const std::vector<Tensor>& arrays) {
  std::vector<std::byte> bytes;
  for (const Tensor& array : arrays) bytes.insert(bytes.end(), array.bytes().begin(), array.bytes().end());
  Shape shape = arrays.at(0).shape();
  shape.insert(shape.begin(), std::ssize(arrays));
  return Tensor::from_bytes(arrays[0].dtype(), shape, bytes);
}

uint64_t key_of_seed(const Json& c) { return threefry::to_key({0, c.at("seed").get<uint32_t>()}); }

const ParamSpec& spec_of(const Params& params, const std::string& path) {
  for (const ParamSpec& spec : params.specs()) {
    if (spec.name() == path) return spec;
  }
  throw std::runtime_error("the program has no parameter " + path);
}

const ParamSpec& spec_of(const Layer& layer, const std::string& path) { return spec_of(layer.params, path); }

std::optional<std::vector<AxisNames>> names_of(const ParamSpec& spec, const Mesh& mesh) {
  const std::optional<std::vector<Group>> groups = spec.names();
  if (!groups) return std::nullopt;
  std::vector<AxisNames> result;
  for (const Group& group : *groups) {
    result.emplace_back();
    for (const AxisId axis : group.axes) result.back().push_back(mesh.axis(axis).name);
  }
  return result;
}

/// Whether the devices at two positions read parts of the same array: they agree on all axes that do not stack it.
static bool same_array(const Layout& layout, const Mesh& mesh, int64_t a, int64_t b) {
  const AxisSet stacking = splitting_axes(layout);
  for (size_t i = 0; i < mesh.axis_count(); ++i) {
    const AxisId axis(i);
    if (!stacking.contains(axis) && mesh.coordinate(a, axis) != mesh.coordinate(b, axis)) return false;
  }
  return true;
}

/// The whole array that local ones make up, in which stacked dimensions have size 1, as `viewer` and the devices around
/// it hold it: small integers differ also on axes that do not stack.
Tensor assembled(const ParamSpec& spec, const Mesh& mesh, const std::vector<Tensor>& local, int64_t viewer) {
  const Shape whole = spec.global_shape();
  std::vector<float> values(static_cast<size_t>(element_count(whole)));
  const Layout layout = spec.layout();
  for (size_t device = 0; device < local.size(); ++device) {
    const Shape& shape = local[device].shape();
    if (!same_array(layout, mesh, viewer, static_cast<int64_t>(device))) continue;
    if (shape.size() != whole.size()) throw std::runtime_error("the rank of " + spec.name());
    for (int64_t i = 0; i < local[device].size(); ++i) {
      int64_t rest = i, place = 0, stride = 1;
      for (size_t d = shape.size(); d-- > 0;) {
        const bool stack = !layout[d].axes.empty();
        const auto position = static_cast<int64_t>(device);
        place += (stack ? mesh.index_in(layout[d].axes, position) : rest % shape[d]) * stride;
        rest /= shape[d];
        stride *= whole[d];
      }
      values[static_cast<size_t>(place)] = local[device].as<float>()[static_cast<size_t>(i)];
    }
  }
  return Tensor::from<float>(DType::f32, whole, values);
}

std::map<std::string, Tensor> compare_init(const Layer& layer, const Json& c) {
  return compare_init(layer, c, key_of_seed(c));
}

std::map<std::string, Tensor> compare_init(const Layer& layer, const Json& c, uint64_t key) {
  const std::map<std::string, Tensor> made = layer.init(key);
  std::map<std::string, Tensor> expected;
  for (const Leaf& leaf : tree(c.at("init"))) {
    SCOPED_TRACE(leaf.path);
    const ParamSpec& spec = spec_of(layer, leaf.path);
    EXPECT_EQ(names_of(spec, *layer.mesh), leaf.names);
    EXPECT_EQ(spec.global_shape(), leaf.arrays.at(0).shape());
    EXPECT_TRUE(close(made.at(leaf.path), leaf.arrays[0], kDrawn, 0));
    expected[leaf.path] = leaf.arrays[0];
  }
  EXPECT_EQ(made.size(), expected.size());
  return expected;
}

Tensor part(const Tensor& stack, int64_t index) {
  const Shape shape(stack.shape().begin() + 1, stack.shape().end());
  const auto size = static_cast<size_t>(element_count(shape)) * info(stack.dtype()).bytes;
  return Tensor::from_bytes(stack.dtype(), shape, stack.bytes().subspan(static_cast<size_t>(index) * size, size));
}

/// The run with small integers, for each device with the parameters that it and its neighbours hold.
static void compare_int_run(const Layer& layer, const Json& run) {
  const std::vector<Leaf> leaves = tree(run.at("param_values"));
  const std::vector<Tensor> x = per_device(run.at("x")), y = per_device(run.at("y"));
  for (int64_t viewer = 0; viewer < layer.mesh->device_count(); ++viewer) {
    std::map<std::string, Tensor> params;
    for (const Leaf& leaf : leaves) {
      params[leaf.path] = assembled(spec_of(layer, leaf.path), *layer.mesh, leaf.arrays, viewer);
    }
    EXPECT_TRUE(same_bits(part(layer.output(params, x), viewer), y[static_cast<size_t>(viewer)]))
        << "device " << viewer;
  }
}

void compare_runs(const Layer& layer, const Json& c, const std::map<std::string, Tensor>& init) {
  for (const Json& run : c.at("runs")) {
    if (run.at("params") == "int") {
      compare_int_run(layer, run);
      continue;
    }
    const Tensor expected = Layer::stacked(per_device(run.at("y")));
    EXPECT_TRUE(close(layer.output(init, per_device(run.at("x"))), expected, kAbsolute, kRelative));
  }
}

/// The gradients of one device, in the shape of the expected ones, whose stacked dimensions have size 1.
static void compare_device(const std::map<std::string, Tensor>& made, const Json& run, int64_t device,
                           double tolerance) {
  const auto compare = [&](const std::string& path, const std::vector<Tensor>& expected) {
    const Tensor& own = expected.at(static_cast<size_t>(device));
    const Tensor gradient = part(made.at(path), device);
    ASSERT_EQ(gradient.size(), own.size()) << path;
    const Tensor shaped = Tensor::from_bytes(own.dtype(), own.shape(), gradient.bytes());
    EXPECT_TRUE(close(shaped, own, tolerance, tolerance)) << path << " device " << device;
  };
  compare("x", per_device(run.at("x_grad")));
  for (const Leaf& leaf : tree(run.at("param_grads"))) compare(leaf.path, leaf.arrays);
}

void expect_gradients(const std::map<std::string, Tensor>& made, const Json& fields, double tolerance) {
  const int64_t devices = made.at("x").shape().front();
  for (int64_t device = 0; device < devices; ++device) compare_device(made, fields, device, tolerance);
}

void compare_gradients(const Layer& untyped, const Json& c, const std::map<std::string, Tensor>& init) {
  for (const Json& run : c.at("runs")) {
    const bool whole = run.at("params") == "int";
    const std::vector<Tensor> x = per_device(run.at("x")), cotangents = per_device(run.at("c"));
    std::map<std::string, Tensor> made;
    if (!whole) made = untyped.gradients(init, x, cotangents);
    for (int64_t device = 0; device < untyped.mesh->device_count(); ++device) {
      if (whole) {
        std::map<std::string, Tensor> params;
        for (const Leaf& leaf : tree(run.at("param_values"))) {
          params[leaf.path] = assembled(spec_of(untyped, leaf.path), *untyped.mesh, leaf.arrays, device);
        }
        made = untyped.gradients(params, x, cotangents);
      }
      compare_device(made, run, device, whole ? 0 : kDeep);
    }
  }
}

void compare_layer(const std::shared_ptr<const Mesh>& on, const Shape& local_x, const Build& build, const Json& c,
                   bool typed, std::optional<uint32_t> dropout) {
  const Layer made(on, local_x, build, typed, dropout);
  const std::map<std::string, Tensor> init = compare_init(made, c);
  compare_runs(made, c, init);
  compare_gradients(Layer(on, local_x, build, false, dropout), c, init);
}

}  // namespace isoshard::golden
