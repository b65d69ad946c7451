#pragma once

#include <cstddef>
#include <string>

namespace standin {

/// Whether a device may access these bytes: they lie in one allocation of it that was not freed. Else a problem, said
/// of `who`, and the device is broken: what waits for it gets cudaErrorIllegalAddress.
bool accessible(int device, const void* begin, size_t bytes, const std::string& who);

/// Whether any byte of these is or was memory of a device.
bool on_device(const void* begin);

/// Looks for writes beside allocations and to what was freed; a problem for each.
void check_guards();

/// Frees everything.
void reset_memory();

}  // namespace standin
