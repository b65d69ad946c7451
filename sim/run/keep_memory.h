#pragma once

namespace isoshard::sim {

/// Has the C library keep the memory of freed arrays for the next ones, in place of giving pages back that the system
/// then hands out again, emptied one by one: for programs that do nothing but run Plans. No effect without glibc.
void keep_freed_memory();

}  // namespace isoshard::sim
