#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

/// What is said about command lines that cannot be read, in isoshard's words instead of CLI11's.
namespace isoshard::command_line {

/// The value must be one of `names`; the message has the nearest one.
CLI::Validator one_of(std::vector<std::string> names);
/// What a value of `option` is one of; empty where it is not.
std::vector<std::string> choices_of(CLI::Option& option);
/// The value must be an integer from `least` to `most`.
CLI::Validator integer(uint64_t least, uint64_t most);

/// The value must be `2^-N` with N from `least` to `most`.
CLI::Validator power_of_half(int least, int most);
/// N of a valid `2^-N`.
int exponent_of(const std::string& power_of_half);

/// That no command is called `word`, with the nearest one; empty where one is.
std::string unknown_command(const CLI::App& app, const std::string& word);

/// Reports a first word that is no command, with the nearest one; true when it did.
bool reject_unknown_command(const CLI::App& app, int argc, char** argv);

/// What is wrong with the command line and what to do, in one line.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace isoshard::command_line
