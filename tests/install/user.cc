// A program of a user: checks the file that it is given, or a pair of StableHLO texts.
#include <isoshard/isoshard.h>

#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  if (argc < 2) return 64;
  try {
    const isoshard::Programs programs = argc == 2 ? isoshard::load(argv[1]) : isoshard::load_pair(argv[1], argv[2]);
    isoshard::CheckSettings settings;
    settings.progress = [](const std::string& part) { std::fprintf(stderr, "... %s\n", part.c_str()); };
    const isoshard::Report report = programs.check(0, settings);
    std::printf("%s\n", report.headline().c_str());
    for (const isoshard::OutputFinding& output : report.outputs()) {
      std::printf("%s %s: %s\n", output.name.c_str(), output.type.c_str(), isoshard::to_string(output.verdict));
    }
    for (const isoshard::NamedArray& array : report.counterexample()) {
      std::printf("differs for %s, %s of %zu bytes\n", array.name.c_str(), array.dtype.c_str(), array.bytes.size());
    }
    return report.exit_code();
  } catch (const isoshard::InputError& error) {
    const isoshard::Finding& first = error.findings().front();
    std::printf("%s:%u:%u: %s\n", first.file.c_str(), first.line, first.column, first.message.c_str());
    return 2;
  }
}
