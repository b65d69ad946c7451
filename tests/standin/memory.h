#pragma once

#include <cstddef>
#include <string>

#include "tests/standin/standin.h"

namespace standin {

/// Whether a device may access these bytes: they lie in one allocation of it that was not freed. Else a problem, said
/// of `who`, and the device is broken: what waits for it gets cudaErrorIllegalAddress.
bool accessible(int device, const void* begin, size_t bytes, const std::string& who);

/// The same for memory of the host, which is all that no device has.
bool host_accessible(int rank, const void* begin, const std::string& who);

/// New memory of a device, or of the host for device -1.
cudaError_t allocate(int device, void** pointer, size_t bytes);

/// Frees it.
cudaError_t give_back(bool host, void* pointer);

/// Bytes of a device that are allocated.
size_t used_bytes(int device);

/// Whether this is or was memory of a device.
bool on_device(const void* begin);

/// A name for a witness: the allocation by its number on its device, and the bytes from its beginning: `m1+5888`.
std::string name_of_place(const void* place);

/// Looks for writes beside allocations and to what was freed; a problem for each.
void check_guards();

/// Frees everything.
void reset_memory();

}  // namespace standin
