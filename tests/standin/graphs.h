#pragma once

namespace standin {

/// Forgets all graphs.
void reset_graphs();

}  // namespace standin
