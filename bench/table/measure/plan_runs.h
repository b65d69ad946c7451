#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/planned.h"

namespace isoshard::bench {

/// Runs a Plan in f32 on so many workers, in the default order or in a drawn one; a Plan that fails throws.
void run_plan(const Planned& planned, int workers, std::optional<uint64_t> interleave_seed = {});

/// A `.shard` file of bench/table/programs, with its mesh and settings.
struct ProgramFile {
  std::string name;
  std::vector<std::pair<std::string, int64_t>> mesh;
  std::vector<std::pair<std::string, std::string>> settings;
};

/// Where the file is.
std::string path_of(const ProgramFile& file);

/// One side of its check, lowered, with globals of small numbers.
Planned planned_file(const ProgramFile& file, Side side = Side::sharded);

}  // namespace isoshard::bench
