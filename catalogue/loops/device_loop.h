#pragma once

#include "catalogue/loops/device_params.h"

/// Reference programs of tensor-parallel layers: the devices of an axis one after another, in a program without a mesh
/// and without collectives (docs/spec/originals.md, "Model parallelism" and "Dense layers"). Nothing of the layers
/// themselves is used.
namespace isoshard {

/// One value for each device of an axis, in the order of their indices; all of the same shape.
using DeviceValues = std::vector<ValueId>;

class DeviceLoop;

/// What a device makes of x with the module at `path`: what TPDense calls dense_fn. `loop` stands in the same layer.
using DeviceFn = std::function<ValueId(const DeviceLoop& loop, int64_t device, const std::string& path, ValueId x)>;
/// x `path`/kernel + `path`/bias, or without a bias where there is none.
DeviceFn device_dense();

/// A TPDense or TPAsyncDense.
struct DeviceLayer {
  std::string path;                 ///< of its scope, `mlp/block/input`; empty: the root
  DeviceFn fn = device_dense();     ///< its dense_fn
  std::string class_name{"Dense"};  ///< of dense_fn: TPDense calls it so where it does not wrap it
  std::string dense_name{"module"};
};

/// The devices of one axis, and what they hold of the parameters that a program on a mesh has declared.
class DeviceLoop {
 public:
  /// `axis` is one of `mesh`, which is that of the program; several axes in the order of the mesh. On the other axes
  /// the devices stand where the one at the position `around` does. `whole` is that of DeviceParams.
  DeviceLoop(ModelBuilder& m, const Params& params, std::shared_ptr<const Mesh> mesh, Group axis, int64_t around = 0,
             std::map<std::string, ValueId> whole = {});

  /// The same devices inside a scan, in its layer `index`: parameters are read without the dimension of that scan, the
  /// outermost that is left.
  DeviceLoop layer(int64_t index) const;
  /// The devices of another axis around the given one of this axis.
  DeviceLoop around(int64_t device, Group axis) const;

  ModelBuilder& m() const { return *m_; }
  int64_t devices() const;
  bool has(const std::string& path) const { return params_->has(path); }
  /// What the device holds of a parameter; invalid where there is none with that path.
  ValueId param(int64_t device, const std::string& path) const;

  /// f(device) of each device.
  DeviceValues each(const std::function<ValueId(int64_t device)>& f) const;
  /// Equal parts of the features of x, its last dimension, and the features of all devices side by side.
  DeviceValues split(ValueId x) const;
  ValueId join(const DeviceValues& xs) const;

  /// TPDense gather: every device has all features of x.
  DeviceValues gather(const DeviceLayer& layer, const DeviceValues& xs) const;
  /// TPDense scatter: every device has its features of the sum of all devices' terms.
  DeviceValues scatter(const DeviceLayer& layer, const DeviceValues& xs) const;
  /// TPDense with skip_communication: each device the layer of its own x; of scatter those are terms of a sum.
  DeviceValues skip_communication(const DeviceLayer& layer, const DeviceValues& xs) const;

  /// TPAsyncDense gather, in one or both directions: device d sums shard_k of the x of device d - k.
  DeviceValues async_gather(const DeviceLayer& layer, const DeviceValues& xs) const;
  /// TPAsyncDense scatter: device d sums what the devices d + 1 + k make of their own x with their shard_k; in the
  /// split scatter so only the first half of its features, and the others from the devices d - 1 - k.
  DeviceValues async_scatter(const DeviceLayer& layer, const DeviceValues& xs) const;
  DeviceValues async_scatter_split(const DeviceLayer& layer, const DeviceValues& xs) const;

  /// Flax's norms of one device's x with the parameters at `path`.
  ValueId rms_norm(int64_t device, const std::string& path, ValueId x) const;
  ValueId layer_norm(int64_t device, const std::string& path, ValueId x) const;
  /// The same over the features of all devices, each of which has its own part of the scale (and bias) at `path`.
  DeviceValues rms_norm(const std::string& path, const DeviceValues& xs) const;
  DeviceValues layer_norm(const std::string& path, const DeviceValues& xs) const;

 private:
  ValueId shard(const DeviceLayer& layer, int64_t k, int64_t device, const DeviceValues& xs) const;
  DeviceValues ring_sums(const DeviceLayer& layer, const DeviceValues& xs, bool up) const;

  ModelBuilder* m_;
  std::shared_ptr<DeviceParams> params_;
  std::shared_ptr<const Mesh> mesh_;
  Group axis_;
  int64_t around_;
  std::vector<int64_t> layers_;  ///< of the scans around, outermost first
};

/// `path`/`name`, or `name` alone at the root.
std::string below(const std::string& path, const std::string& name);

}  // namespace isoshard
