// Fills in the one size of a mesh that is -1, as numpy.reshape does: what the other sizes leave of the devices
// (docs/spec/originals.md, "Meshes"). Products are formed with a limit, so that they cannot overflow, and each error
// shows the sizes as they were given, with what was needed and what there is.
#include "parallel/sharding/initialize_mesh.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/support/result.h"

namespace isoshard {
namespace {

/// `(dp=-1, tp=4)`.
std::string shown_axes(const std::vector<MeshAxis>& axes) {
  std::string text;
  for (const MeshAxis& axis : axes) text += (text.empty() ? "" : ", ") + axis.name + "=" + std::to_string(axis.size);
  return "(" + text + ")";
}

/// The product of the sizes but -1; nothing where it exceeds 31 bits.
std::optional<int64_t> known_product(const std::vector<MeshAxis>& axes) {
  int64_t product = 1;
  for (const MeshAxis& axis : axes) {
    if (axis.size == -1) continue;
    if (axis.size > kMaxDevices / product) return std::nullopt;
    product *= axis.size;
  }
  return product;
}

tl::unexpected<Diagnostic> wrong_count(const std::vector<MeshAxis>& axes, int64_t devices, const std::string& needs) {
  return failure("C-devices", {},
                 "the mesh " + shown_axes(axes) + " needs " + needs + " devices, and there are " +
                     std::to_string(devices) + "; expected sizes whose product is " + std::to_string(devices) +
                     ", or one size of -1 for what the others leave");
}

}  // namespace

Result<std::vector<MeshAxis>> fill_mesh_sizes(std::vector<MeshAxis> axes, int64_t devices) {
  const auto is_open = [](const MeshAxis& axis) { return axis.size == -1; };
  for (const MeshAxis& axis : axes) {
    if (axis.size >= 1 || axis.size == -1) continue;
    return failure("C-size", {},
                   "axis `" + axis.name + "` has size " + std::to_string(axis.size) + "; expected at least 1, or -1");
  }
  const auto open = std::count_if(axes.begin(), axes.end(), is_open);
  if (open > 1) {
    return failure(
        "C-size", {},
        "the mesh " + shown_axes(axes) + " has " + std::to_string(open) + " sizes of -1; expected at most one");
  }
  const std::optional<int64_t> product = known_product(axes);
  if (!product) return wrong_count(axes, devices, "2^31 or more");
  const bool fits = open == 0 ? devices == *product : devices >= *product && devices % *product == 0;
  if (!fits) return wrong_count(axes, devices, (open == 0 ? "" : "a multiple of ") + std::to_string(*product));
  for (MeshAxis& axis : axes) axis.size = is_open(axis) ? devices / *product : axis.size;
  return axes;
}

std::vector<MeshAxis> default_mesh_axes() { return {{"dp", -1}, {"fsdp", 1}, {"pp", 1}, {"tp", 1}}; }

Result<std::shared_ptr<const Mesh>> initialize_mesh(std::vector<MeshAxis> axes, int64_t devices,
                                                    const std::string& name) {
  Result<std::vector<MeshAxis>> filled = fill_mesh_sizes(std::move(axes), devices);
  if (!filled) return tl::unexpected<Diagnostic>(filled.error());
  return std::make_shared<const Mesh>(name, std::move(*filled));
}

}  // namespace isoshard
