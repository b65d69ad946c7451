#pragma once  // internal

#include <string>
#include <tl/expected.hpp>

#include "exec/launch/launch.h"

namespace isoshard::exec {

/// Where the ranks of a launch meet: what ISOSHARD_STORE says, else what the variables of the launcher come to; in
/// words what is to be set where they do not.
tl::expected<StoreAddress, std::string> store_of(const Launch& launch, const Variables& variables);

/// The first name of a list of Slurm: `node003` of `node[003-004,9],other`.
std::string first_of_node_list(const std::string& list);

}  // namespace isoshard::exec
