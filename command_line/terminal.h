#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/support/diagnostic.h"

namespace isoshard::command_line {

/// Whether to colour what goes to `descriptor`: `when` is auto, always or never; auto asks NO_COLOR, CLICOLOR_FORCE,
/// TERM and whether it is a terminal.
bool use_colour(std::string_view when, int descriptor);

/// The columns of the terminal behind `descriptor`; 80 where it is none, or does not say.
int terminal_columns(int descriptor);

/// Prints diagnostics to stderr.
void print_diagnostics(const std::vector<Diagnostic>& diagnostics, std::string_view colour);

/// Prints `error: message` to stderr.
void print_error(const std::string& message);

/// Prints a line to stderr that is no error.
void print_note(const std::string& message);

/// `file:line:col: message [rule]`, without excerpt and notes.
std::string first_line(const Diagnostic& diagnostic);

/// Writes to stdout; false, after an error on stderr, when not all of it was taken (a full disk). A pipe that nobody
/// reads any more, as of `| head`, ends the program without a word (signals.h).
bool write_out(std::string_view text);

/// Writes to the file at `path`, never half of it, or to stdout where `path` is empty; false after an error on stderr.
bool write_to(const std::string& path, std::string_view text);

/// How many columns the terminal of stdout has, or COLUMNS says; 0: it is no terminal, lines may have any length.
int64_t terminal_width();

}  // namespace isoshard::command_line
