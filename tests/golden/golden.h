#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/types/mesh.h"
#include "core/value/tensor.h"

/// The reference data of tests/data/jax, whose README is the format. Whatever does not have the form asked for throws.
namespace isoshard::golden {

using Json = nlohmann::json;

/// One file: `cases` in order, each with its `name` and `op`.
struct Family {
  std::string name;
  std::vector<Json> cases;
};
/// Of tests/data/jax/NAME.json; tests run in the repository root.
Family load_family(const std::string& name);

/// Runs every case of the family, prints `NAME: ran/total, not yet: FIELDS`, and fails unless all `count` have run; the
/// cases' own failures are named.
void run_family(const std::string& name, size_t count, const std::string& not_yet, void (*run_case)(const Json&));

/// One axis of an array of a parameter: nothing, a name, or several.
using AxisNames = std::vector<std::string>;

/// A leaf of a tree: local arrays, one per device, or one global array.
struct Leaf {
  std::string path;                             ///< keys joined by `/`
  std::optional<std::vector<AxisNames>> names;  ///< nothing for a plain, replicated leaf
  std::vector<Tensor> arrays;
};

/// What an exception was, without its words.
struct Error {
  std::string type;
  std::vector<int64_t> numbers;
};

/// `{"dtype", "shape", "data"}`.
Tensor array(const Json& json);
/// `{"dtype", "shape", "per_device"}`: one local array per device.
std::vector<Tensor> per_device(const Json& json);
/// Leaves sorted by path, local or global.
std::vector<Leaf> tree(const Json& json);
/// `{"axes", "shape"}`.
std::shared_ptr<const Mesh> mesh(const Json& json);
/// A name, or a list of names, as a group of `mesh`.
Group axis(const Json& json, const Mesh& mesh);
/// Two words, as an element of DType::key.
uint64_t key(const Json& json);
/// Nothing for null.
std::optional<Error> error(const Json& json);

}  // namespace isoshard::golden
