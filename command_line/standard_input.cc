#include "command_line/standard_input.h"

#include <algorithm>

#include "command_line/terminal.h"
#include "core/support/result.h"
#include "core/text/text.h"

namespace isoshard::command_line {

Result<std::shared_ptr<const SourceFile>> read_standard_input() {
  const Result<std::shared_ptr<const SourceFile>> input = text::read_source("/dev/stdin");
  if (!input) return input;
  return std::make_shared<const SourceFile>(SourceFile{"<stdin>", (*input)->text});
}

bool take_standard_input(Settings& settings) {
  std::vector<std::string>& inputs = settings.inputs;
  const auto named = std::find(inputs.begin(), inputs.end(), "-");
  if (named == inputs.end()) return true;
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    print_error("- is standard input, which can be read once; name a file in place of the other one");
    return false;
  }
  const Result<std::shared_ptr<const SourceFile>> source = read_standard_input();
  if (!source) {
    print_error("cannot read standard input: " + source.error().message);
    return false;
  }
  *named = (*source)->name;
  settings.texts[*named] = (*source)->text;
  return true;
}

}  // namespace isoshard::command_line
