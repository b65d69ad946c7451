#pragma once

#include <string>
#include <vector>

namespace isoshard::exec {

/// The processors that are near to what is on the bus at `bus_id`, `0000:3b:00.0`, as the tree `sys` of the system says
/// it; none where it does not.
std::vector<int> processors_near(const std::string& bus_id, const std::string& sys = "/sys");

/// The numbers of a list of the system, `0-3,8`; none where it is no such list.
std::vector<int> numbers_of_list(const std::string& list);

/// Keeps this thread to those of its processors that are among these, where there are some; so what it starts.
void stay_on(const std::vector<int>& processors);

}  // namespace isoshard::exec
