#include <algorithm>
#include <span>

#include "command_line/settings.h"
#include "command_line/standard_input.h"
#include "command_line/terminal.h"
#include "core/support/quoted.h"
#include "core/support/write_file.h"
#include "core/text/print/format.h"
#include "core/text/text.h"
#include "library/load/load.h"

namespace isoshard::command_line {
namespace {

/// The file at `path`, or standard input for `-`.
Result<std::shared_ptr<const SourceFile>> read(const std::string& path) {
  return path == "-" ? read_standard_input() : text::read_source(path);
}

ExitCode replace(const std::string& path, const std::string& text) {
  const auto written = write_file(path, std::as_bytes(std::span(text)));
  if (written) return kHolds;
  print_error("cannot write " + isoshard::quoted(path) + ": " + written.error());
  return kBadInput;
}

ExitCode format_one(const std::string& path, const Settings& settings) {
  if (library::is_json(path)) {
    print_error(isoshard::quoted(path, 400) +
                " is JSON, which `isoshard show --json` writes in one form; fmt takes .shard files");
    return kBadInput;
  }
  const Result<std::shared_ptr<const SourceFile>> source = read(path);
  DiagnosticSink sink;
  if (!source) sink.add(source.error());
  const std::optional<std::string> text = source ? text::format_source(*source, sink) : std::nullopt;
  print_diagnostics(sink.diagnostics(), settings.color);
  if (!text) return kBadInput;
  const bool same = *text == (*source)->text;
  if (settings.check_only) {
    if (same) return kHolds;
    return write_out((*source)->name + "\n") ? kDoesNotHold : kBadInput;
  }
  if (path == "-") return write_out(*text) ? kHolds : kBadInput;
  return same ? kHolds : replace(path, *text);
}

}  // namespace

int run_fmt(const Settings& settings) {
  ExitCode worst = kHolds;
  for (const std::string& path : settings.inputs) worst = std::max(worst, format_one(path, settings));
  return worst;
}

}  // namespace isoshard::command_line
