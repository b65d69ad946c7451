#pragma once

namespace isoshard::command_line {

/// Ctrl-C and its like (SIGINT, SIGTERM, SIGHUP) remove an unfinished file and end with 128 + the signal's number, as
/// shells say it; a closed pipe or a full quota becomes an error of the write, not a death in the middle of a file.
void handle_signals();

/// From here on the first Ctrl-C only asks to end, for work that looks at interrupted() and tells what it knows; the
/// second one ends as ever.
void catch_interrupt();

/// Undoes catch_interrupt(): Ctrl-C ends at once again, as in the middle of a file.
void release_interrupt();

/// Whether Ctrl-C was pressed between catch_interrupt() and release_interrupt().
bool interrupted();

/// Ends as a program does that writes to a pipe which nobody reads any more: by SIGPIPE, without a word.
[[noreturn]] void end_by_closed_pipe();

/// The exit code of work that Ctrl-C has ended.
inline constexpr int kInterrupted = 130;

}  // namespace isoshard::command_line
