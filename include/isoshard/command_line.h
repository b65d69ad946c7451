#pragma once

#include <isoshard/export.h>

namespace isoshard {
inline namespace v1 {

/// Does what the program `isoshard` does with these arguments, argv[0] its name, and returns its exit code: 0 what was
/// asked holds, 1 it does not, 2 bad input or not supported, 3 could not decide (docs/soundness.md).
///
/// It is the whole of a `main`, for programs with this command line in them, as `MlirOptMain` is for MLIR's: it reads
/// standard input, writes to standard output and error, handles signals (SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ),
/// has the C library keep freed memory, and may end the process (a pipe that nobody reads any more, a second Ctrl-C).
ISOSHARD_API int run_command_line(int argc, char** argv);

}  // namespace v1
}  // namespace isoshard
