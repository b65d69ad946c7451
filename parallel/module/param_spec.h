#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parallel/module/gather_array.h"
#include "parallel/module/initializers.h"

namespace isoshard {

/// What an enclosing module does to all parameters below it.
struct ParamTransform {
  enum class Kind : uint8_t {
    stack,   ///< ModelParallelismWrapper: one per device of `axis`
    layers,  ///< a scan: one per layer
    shard,   ///< shard_module_params: one dimension split over `axis` while nobody reads it
  };
  Kind kind = Kind::stack;
  Group axis{};                          ///< of stack and shard
  bool split_rngs = true;                ///< of stack: each device has a key of its own
  std::optional<int64_t> mask_except{};  ///< of stack: zeros at first on all devices but this one
  int64_t count = 1;                     ///< layers, or the devices of `axis`
  int64_t min_weight_size = 0;           ///< of shard: what has no more elements stays whole
  GatherOptions gather{};                ///< of shard
};

/// One dimension of the array that a parameter and what its transforms add make up on all devices.
struct ParamDim {
  int64_t size = 1;                 ///< of that array
  Group axis{};                     ///< its name in Flax's Partitioned; empty: none
  int64_t devices = 1;              ///< of `axis`
  std::optional<size_t> made_by{};  ///< the transform that adds it (stack, layers); nothing for dimensions of the shape
  std::optional<size_t> shard{};    ///< the transform that splits it

  int64_t local() const { return size / devices; }
};

/// The dimension that sharding over `axis` splits: the largest of those that `devices` divides and that have no name,
/// of equal ones the last. Nothing where a name is `axis` already, where no dimension will do, or where a device holds
/// no more than `min_weight_size` elements (docs/spec/originals.md, "Sharded parameters"; `local` are sizes on one
/// device).
std::optional<size_t> dim_to_shard(const Shape& local, const std::vector<Group>& names, const Group& axis,
                                   int64_t devices, int64_t min_weight_size);

/// One parameter of a module: where it stands and how it begins.
struct ParamSpec {
  std::vector<std::string> path;  ///< names from the root to the parameter itself
  Shape shape;                    ///< what one device and one layer computes with
  Initializer initializer;
  std::vector<ParamTransform> transforms;  ///< outermost first
  int64_t draw = 1;                        ///< of the key stream `params` in its scope
  bool is_param = true;                    ///< false: a variable of another collection, which only scans transform
  GlobalId global{};                       ///< that holds it, once declared

  /// `a/b/kernel`.
  std::string name() const;
  /// Outermost first.
  std::vector<ParamDim> dims() const;
  /// The shape of the array that all devices and layers make up.
  Shape global_shape() const;
  /// How a device reads or writes its part of that array: stacked dimensions are dropped, those of layers stay.
  Layout layout() const;
  /// One entry per dimension of that array as in Flax's Partitioned; nothing for a plain array, which no device owns.
  std::optional<std::vector<Group>> names() const;
  /// How many scans split its key.
  int64_t scans() const;

  /// How many scans stand around the transform `index`.
  int64_t scans_around(size_t index) const;
  /// What a region within the first `scans` scans reads: shape, and the axes over which it varies.
  struct Local {
    Shape shape;
    AxisSet varying;
  };
  Local local(int64_t scans) const;
  /// A dimension of that value whose blocks that region gathers.
  struct Gather {
    Group axis;
    int64_t dim = 0;
    GatherOptions options{};
  };
  std::vector<Gather> gathers(int64_t scans) const;

 private:
  /// Dimensions of the value within `scans` scans: those of outer scans are sliced, stacked ones dropped.
  std::vector<ParamDim> dims_within(int64_t scans) const;
};

}  // namespace isoshard
