#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "parallel/training/init_program.h"
#include "tests/golden/golden.h"

namespace isoshard::golden {

/// Kernels, as the data's README says.
inline constexpr double kDrawn = 5e-7;
/// Outputs.
inline constexpr double kAbsolute = 1e-6, kRelative = 1e-5;
/// Outputs and gradients of deeper models.
inline constexpr double kDeep = 3e-5;

using Build = std::function<ValueId(Scope& root, ValueId x)>;

/// A layer as a program that gives what every device computes, and the program of its first parameters.
struct Layer {
  Module module;
  DiagnosticSink sink;
  std::shared_ptr<const Mesh> mesh;
  Params params;
  std::optional<ProgramId> program;  ///< nothing after an error

  /// `dropout`: the seed of the base key of that stream, if any.
  Layer(std::shared_ptr<const Mesh> on, const Shape& local_x, const Build& build, bool typed = true,
        std::optional<uint32_t> dropout = std::nullopt);

  /// All messages, `RULE message` per line.
  std::string messages() const;
  /// The whole arrays of the first parameters, by path. Throws where the layer is not built.
  std::map<std::string, Tensor> init(uint64_t key) const;
  /// What every device gives for its own x, stacked.
  Tensor output(const std::map<std::string, Tensor>& by_path, const std::vector<Tensor>& x) const;
  /// What every device computes for the gradients of x and of its parameters by path, stacked: of the sum over devices
  /// of <y, c>.
  std::map<std::string, Tensor> gradients(const std::map<std::string, Tensor>& by_path, const std::vector<Tensor>& x,
                                          const std::vector<Tensor>& c) const;
  static Tensor stacked(const std::vector<Tensor>& arrays);

 private:
  void check_built() const;
  std::map<std::string, Tensor> given(const std::map<std::string, Tensor>& by_path, const std::vector<Tensor>& x) const;
};

/// The key PRNGKey(seed) of a case.
uint64_t key_of_seed(const Json& c);
/// The parameter with that path; throws where there is none.
const ParamSpec& spec_of(const Params& params, const std::string& path);
const ParamSpec& spec_of(const Layer& layer, const std::string& path);
/// Its Partitioned names.
std::optional<std::vector<AxisNames>> names_of(const ParamSpec& spec, const Mesh& mesh);
/// Element `index` of a stack.
Tensor part(const Tensor& stack, int64_t index);
/// The whole array that local ones make up, in which stacked dimensions have size 1, as `viewer` and the devices around
/// it hold it: small integers differ also on axes that do not stack.
Tensor assembled(const ParamSpec& spec, const Mesh& mesh, const std::vector<Tensor>& local, int64_t viewer = 0);
/// Compares paths, names, shapes and first values with the field `init`, of that key or of PRNGKey(`seed`); returns the
/// expected ones.
std::map<std::string, Tensor> compare_init(const Layer& layer, const Json& c);
std::map<std::string, Tensor> compare_init(const Layer& layer, const Json& c, uint64_t key);
/// Compares the fields `param_grads` and `x_grad` of the runs with the gradients of a layer without states, which are
/// those of jax.grad inside shard_map(check_rep=False).
void compare_gradients(const Layer& untyped, const Json& c, const std::map<std::string, Tensor>& init);
/// Compares gradients, as Layer::gradients gives them, with the fields `x_grad` and `param_grads`.
void expect_gradients(const std::map<std::string, Tensor>& made, const Json& fields, double tolerance);
/// Compares the outputs of the field `runs`.
void compare_runs(const Layer& layer, const Json& c, const std::map<std::string, Tensor>& init);
/// A layer's names, first values and outputs, and without states its gradients, with all fields of a case.
void compare_layer(const std::shared_ptr<const Mesh>& on, const Shape& local_x, const Build& build, const Json& c,
                   bool typed = true, std::optional<uint32_t> dropout = std::nullopt);

}  // namespace isoshard::golden
