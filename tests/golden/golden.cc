#include "tests/golden/golden.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/ir/scalar/narrow.h"
#include "core/value/threefry.h"

namespace isoshard::golden {
namespace {

DType dtype_of(const Json& json) {
  const std::string name = json.at("dtype");
  if (name == "bool") return DType::pred;
  const std::optional<DType> dtype = parse_dtype(name);
  if (!dtype) throw std::runtime_error("no dtype " + name);
  return *dtype;
}

/// Shortest decimals of an f32, integers, booleans, and the strings `nan`, `inf`, `-inf`.
double number(const Json& json) {
  if (json.is_boolean()) return json.get<bool>() ? 1 : 0;
  if (!json.is_string()) return json.get<double>();
  const std::string text = json;
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text != "inf" && text != "-inf") throw std::runtime_error("no number " + text);
  return text == "inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
}

template <class T>
std::vector<T> numbers(const Json& data) {
  std::vector<T> result;
  for (const Json& item : data) result.push_back(static_cast<T>(number(item)));
  return result;
}

/// 16-bit floats, whose numbers they represent exactly.
template <class Narrow>
std::vector<uint16_t> narrow_numbers(const Json& data) {
  std::vector<uint16_t> result;
  for (const Json& item : data) result.push_back(scalar::narrow_bits<Narrow>(static_cast<float>(number(item))));
  return result;
}

template <class T>
Tensor made(DType dtype, const Shape& shape, const std::vector<T>& values) {
  if (element_count(shape) != std::ssize(values)) throw std::runtime_error("an array of another size than its shape");
  return Tensor::from<T>(dtype, shape, values);
}

Tensor tensor(DType dtype, const Shape& shape, const Json& data) {
  switch (dtype) {
    case DType::pred:
      return made(dtype, shape, numbers<uint8_t>(data));
    case DType::i32:
      return made(dtype, shape, numbers<int32_t>(data));
    case DType::u32:
      return made(dtype, shape, numbers<uint32_t>(data));
    case DType::bf16:
      return made(dtype, shape, narrow_numbers<scalar::Bf16>(data));
    case DType::f16:
      return made(dtype, shape, narrow_numbers<scalar::F16>(data));
    case DType::f32:
      return made(dtype, shape, numbers<float>(data));
    case DType::i8:
    case DType::u8:
    case DType::f8e4m3:
    case DType::f8e5m2:
    case DType::i64:
    case DType::u64:
    case DType::f64:
    case DType::key:
      break;
  }
  throw std::runtime_error("a dtype that the data do not have");
}

Shape shape_of(const Json& json) { return json.at("shape").get<Shape>(); }

/// null, a name, or a list of names.
AxisNames axis_names(const Json& json) {
  if (json.is_null()) return {};
  if (json.is_string()) return {json.get<std::string>()};
  return json.get<AxisNames>();
}

}  // namespace

Family load_family(const std::string& name) {
  std::ifstream file("tests/data/jax/" + name + ".json");
  if (!file) throw std::runtime_error("no file tests/data/jax/" + name + ".json");
  const Json json = Json::parse(file);
  return Family{json.at("meta").at("family"), json.at("cases").get<std::vector<Json>>()};
}

Tensor array(const Json& json) { return tensor(dtype_of(json), shape_of(json), json.at("data")); }

std::vector<Tensor> per_device(const Json& json) {
  std::vector<Tensor> result;
  for (const Json& data : json.at("per_device")) result.push_back(tensor(dtype_of(json), shape_of(json), data));
  return result;
}

std::vector<Leaf> tree(const Json& json) {
  std::vector<Leaf> leaves;
  for (const Json& item : json) {
    Leaf leaf{item.at("path"), std::nullopt, {}};
    leaf.arrays = item.contains("per_device") ? per_device(item) : std::vector{array(item)};
    if (!item.at("names").is_null()) {
      leaf.names.emplace();
      for (const Json& names : item.at("names")) leaf.names->push_back(axis_names(names));
    }
    leaves.push_back(std::move(leaf));
  }
  return leaves;
}

std::shared_ptr<const Mesh> mesh(const Json& json) {
  const auto names = json.at("axes").get<std::vector<std::string>>();
  const auto sizes = json.at("shape").get<Shape>();
  if (names.size() != sizes.size()) throw std::runtime_error("a mesh with other names than sizes");
  std::vector<MeshAxis> axes;
  for (size_t i = 0; i < names.size(); ++i) axes.push_back(MeshAxis{names[i], sizes[i]});
  return std::make_shared<const Mesh>("m", std::move(axes));
}

Group axis(const Json& json, const Mesh& mesh) {
  Group group;
  for (const std::string& name : axis_names(json)) {
    const std::optional<AxisId> id = mesh.find(name);
    if (!id) throw std::runtime_error("the mesh has no axis " + name);
    group.axes.push_back(*id);
  }
  return group;
}

uint64_t key(const Json& json) {
  const auto words = json.get<std::vector<uint32_t>>();
  if (words.size() != 2) throw std::runtime_error("a key has two words");
  return threefry::to_key({words[0], words[1]});
}

std::optional<Error> error(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return Error{json.at("type"), json.at("numbers").get<std::vector<int64_t>>()};
}

void run_family(const std::string& name, size_t count, const std::string& not_yet, void (*run_case)(const Json&)) {
  const Family family = load_family(name);
  size_t ran = 0;
  for (const Json& c : family.cases) {
    SCOPED_TRACE(c.at("name").get<std::string>());
    try {
      run_case(c);
      ++ran;
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
  }
  std::printf("%s: %zu/%zu%s\n", name.c_str(), ran, family.cases.size(),
              not_yet.empty() ? "" : (", not yet: " + not_yet).c_str());
  EXPECT_EQ(ran, count);
  EXPECT_EQ(ran, family.cases.size());
}

}  // namespace isoshard::golden
