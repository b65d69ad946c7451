#pragma once

#include "parallel/module/module.h"

namespace isoshard {

/// A module with any number of inputs.
using BodyFn = std::function<ValueId(Scope& self, const std::vector<ValueId>& inputs)>;

/// What a module reads that stands in a region which captures nothing: the body of a scan.
struct BodyParams {
  std::vector<ParamSpec> params;  ///< in the order in which the module declares them
  std::shared_ptr<std::map<std::string, int64_t>> draws;
  TensorType result;
};

/// Runs `body` once beside the program, in a function that is thrown away, on values of these types with the base keys
/// `keys`. Nothing where it has errors, which are reported. What a scan around this one counts, it counts here as well.
std::optional<BodyParams> find_body_params(const Scope& inside, const std::map<std::string, ValueId>& keys,
                                           const BodyFn& body, const std::vector<ValueType>& inputs);

/// The values of these parameters in the region of `outside`, in the same order, for a region within as many scans over
/// layers: what is sharded are blocks still, which that region gathers.
std::vector<ValueId> read_params(const Scope& outside, const BodyParams& found);

/// The frame of a region in which these are `values`, and `keys` the base keys.
std::shared_ptr<Scope::Frame> body_frame(const Scope& outside, const BodyParams& found,
                                         const std::vector<ValueId>& values, std::map<std::string, ValueId> keys);

}  // namespace isoshard
