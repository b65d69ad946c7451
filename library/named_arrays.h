#pragma once  // internal

#include <isoshard/array.h>

#include <vector>

#include "core/support/diagnostic.h"
#include "core/value/npz.h"

namespace isoshard::library {

NamedArray to_array(const NamedTensor& array);
std::vector<NamedArray> to_arrays(const std::vector<NamedTensor>& arrays);

/// Arrays of a user, checked: dtypes that are none (I-type), shapes whose bytes are others than those given (I-type),
/// negative sizes and names given twice (I-unknown) are errors.
std::vector<NamedTensor> to_tensors(const std::vector<NamedArray>& arrays, DiagnosticSink& sink);

}  // namespace isoshard::library
