#pragma once

// As in CUDA, where it adds templates for C++ that exec does not use.
#include <cuda_runtime_api.h>  // IWYU pragma: export
