#pragma once

namespace isoshard::app {

/// Ctrl-C and its like (SIGINT, SIGTERM, SIGHUP) remove an unfinished file and end with 128 + the signal's number, as
/// shells say it; a closed pipe or a full quota becomes an error of the write, not a death in the middle of a file.
void handle_signals();

}  // namespace isoshard::app
