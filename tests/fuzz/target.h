#pragma once

#include <cstddef>
#include <cstdint>

/// What libFuzzer calls with each input, and the regression runner with each committed one. Returns 0; a finding is a
/// crash, a failed check, a sanitizer report or a run out of time or memory.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
