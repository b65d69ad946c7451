// What the array of a parameter looks like on all devices, from its own shape and the transforms around it, taken from
// the innermost outwards: a stack over devices and a scan over layers each add a dimension in front, and a shard splits
// the largest dimension that has no name and that the devices divide, the last of equal ones (docs/spec/originals.md,
// "Sharded parameters"). Everything else is read off this list of dimensions: the shape of the global, the layout of
// its view, the names, what a region within some scans sees, and which blocks it has to gather. Cost: dimensions times
// transforms.
#include "parallel/module/param_spec.h"

#include <algorithm>

namespace isoshard {
namespace {

using Kind = ParamTransform::Kind;

bool stacks(const std::vector<ParamTransform>& transforms, const ParamDim& dim) {
  return dim.made_by && transforms[*dim.made_by].kind == Kind::stack;
}

void split(std::vector<ParamDim>& dims, const ParamTransform& transform, size_t index) {
  Shape local;
  std::vector<Group> names;
  for (const ParamDim& dim : dims) {
    local.push_back(dim.local());
    names.push_back(dim.axis);
  }
  const std::optional<size_t> chosen =
      dim_to_shard(local, names, transform.axis, transform.count, transform.min_weight_size);
  if (!chosen) return;
  dims[*chosen].axis = transform.axis;
  dims[*chosen].devices = transform.count;
  dims[*chosen].shard = index;
}

}  // namespace

std::optional<size_t> dim_to_shard(const Shape& local, const std::vector<Group>& names, const Group& axis,
                                   int64_t devices, int64_t min_weight_size) {
  if (element_count(local) <= min_weight_size) return std::nullopt;
  if (std::find(names.begin(), names.end(), axis) != names.end()) return std::nullopt;
  std::optional<size_t> best;
  for (size_t i = 0; i < local.size(); ++i) {
    if (local[i] % devices != 0 || !names[i].empty()) continue;
    if (!best || local[i] >= local[*best]) best = i;
  }
  return best;
}

std::string ParamSpec::name() const {
  std::string text;
  for (const std::string& word : path) text += (text.empty() ? "" : "/") + word;
  return text;
}

std::vector<ParamDim> ParamSpec::dims() const {
  std::vector<ParamDim> result;
  for (const int64_t size : shape) result.push_back(ParamDim{size});
  for (size_t i = transforms.size(); i-- > 0;) {
    const ParamTransform& transform = transforms[i];
    const bool layers = transform.kind == Kind::layers;
    if (!layers && !is_param) continue;
    if (transform.kind == Kind::shard) {
      split(result, transform, i);
    } else {
      result.insert(result.begin(), ParamDim{transform.count, transform.axis, layers ? 1 : transform.count, i, {}});
    }
  }
  return result;
}

Shape ParamSpec::global_shape() const {
  Shape result;
  for (const ParamDim& dim : dims()) result.push_back(dim.size);
  return result;
}

Layout ParamSpec::layout() const {
  Layout result;
  for (const ParamDim& dim : dims()) {
    result.push_back(ViewEntry{dim.axis, 0, std::nullopt, stacks(transforms, dim) ? Split::stack : Split::equal});
  }
  return result;
}

std::optional<std::vector<Group>> ParamSpec::names() const {
  std::vector<Group> result;
  for (const ParamDim& dim : dims()) result.push_back(dim.axis);
  if (std::all_of(result.begin(), result.end(), [](const Group& axis) { return axis.empty(); })) return std::nullopt;
  return result;
}

int64_t ParamSpec::scans_around(size_t index) const {
  return std::count_if(transforms.begin(), transforms.begin() + static_cast<std::ptrdiff_t>(index),
                       [](const ParamTransform& transform) { return transform.kind == Kind::layers; });
}

int64_t ParamSpec::scans() const { return scans_around(transforms.size()); }

std::vector<ParamDim> ParamSpec::dims_within(int64_t scans) const {
  std::vector<ParamDim> result;
  for (const ParamDim& dim : dims()) {
    if (stacks(transforms, dim) || (dim.made_by && scans_around(*dim.made_by) < scans)) continue;
    result.push_back(dim);
  }
  return result;
}

ParamSpec::Local ParamSpec::local(int64_t scans) const {
  Local result;
  for (const ParamDim& dim : dims()) {
    if (stacks(transforms, dim)) result.varying.insert(dim.axis.set());
  }
  for (const ParamDim& dim : dims_within(scans)) {
    const bool block = dim.shard && scans_around(*dim.shard) >= scans;
    result.shape.push_back(block ? dim.local() : dim.size);
    if (block) result.varying.insert(dim.axis.set());
  }
  return result;
}

std::vector<ParamSpec::Gather> ParamSpec::gathers(int64_t scans) const {
  std::vector<Gather> result;
  const std::vector<ParamDim> within = dims_within(scans);
  for (size_t i = 0; i < within.size(); ++i) {
    if (within[i].shard && scans_around(*within[i].shard) == scans) {
      result.push_back(Gather{within[i].axis, static_cast<int64_t>(i), transforms[*within[i].shard].gather});
    }
  }
  return result;
}

}  // namespace isoshard
