#pragma once

#include <map>
#include <utility>

#include "parallel/module/module.h"

namespace isoshard {

/// Reads the parameters of one program in another one, on one device, as the devices of the first hold them: reference
/// programs are loops over those devices. Each part is read once, whoever asks for it.
class DeviceParams {
 public:
  /// `mesh` is that of the program that declared the parameters, all of them by now. `whole`: their whole arrays by
  /// path, in a function; otherwise each part is read through a view.
  DeviceParams(ModelBuilder& m, const Params& params, std::shared_ptr<const Mesh> mesh,
               std::map<std::string, ValueId> whole = {});

  /// What the device at `position` holds of the parameter with that path (`module/sharded/kernel`), with a leading
  /// dimension for each scan over layers; invalid where there is no such parameter.
  ValueId at(const std::string& path, int64_t position);
  bool has(const std::string& path) const { return find(path) != nullptr; }

 private:
  const ParamSpec* find(const std::string& path) const;
  ValueId part(ValueId whole, const Layout& layout);

  ModelBuilder& m_;
  const Params& params_;
  std::map<std::string, size_t> specs_;  ///< by path
  std::shared_ptr<const Mesh> mesh_;
  std::map<std::string, ValueId> whole_;
  std::map<std::string, ValueId> read_;
};

}  // namespace isoshard
