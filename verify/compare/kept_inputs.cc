#include "verify/compare/kept_inputs.h"

#include <utility>

#include "core/value/npz.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"

namespace isoshard::verify {

std::shared_ptr<const std::vector<NamedTensor>> arrays_of(const Pair& pair, const PairRun& both,
                                                          const sim::Domain& domain) {
  auto result = std::make_shared<std::vector<NamedTensor>>();
  for (size_t g = 0; g < pair.used.size(); ++g) {
    if (!pair.used[g]) continue;
    const Global& global = pair.module->globals[g];
    Tensor array = sim::to_tensor(both.globals()[g], domain);
    if (is_float(global.type.dtype)) {
      const sim::Domain& written = sim::float_domain(sim::Precision::as_written);
      array = sim::to_tensor(sim::from_doubles(global.type, array.as<double>(), written), written);
    }
    result->push_back({global.name, std::move(array)});
  }
  return result;
}

}  // namespace isoshard::verify
