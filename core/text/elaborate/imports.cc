// Files that a file imports (docs/adr/0088-imports.md).
// Items are put into one list in the order of the text, an imported file in the place of its import, so that lets may
// use what stands above. Of an imported file only funcs, lets and further imports count: what a file claims and runs is
// its own. A file is known by its path with links resolved and is taken once; while it is being read it is on a stack,
// in which an import that leads back is found, and whose depth is limited. Cost: the text of the files.
#include "core/text/elaborate/imports.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "core/support/quoted.h"
#include "core/support/result.h"
#include "core/text/standard/standard_files.h"

namespace isoshard::text {
namespace {

constexpr std::string_view kStandard = "std/";
constexpr size_t kDeepestImport = 64;

Result<std::shared_ptr<const SourceFile>> read_standard(const std::string& name) {
  std::string known;
  for (const StandardFile& file : standard_files()) {
    if (file.name == name) return std::make_shared<const SourceFile>(SourceFile{name, std::string(file.text)});
    known += (known.empty() ? "" : ", ") + std::string(file.name);
  }
  return failure("E-import", Location(),
                 "there is no " + isoshard::quoted(name) + " in the library, which has " + known);
}

class Importer {
 public:
  Importer(const ImportReader& reader, DiagnosticSink& sink) : reader_(reader), sink_(sink) {}

  PlacedItems run(const FileSyntax& tree, const std::shared_ptr<const SourceFile>& file) {
    open_.push_back(identity(file->name));
    place(tree, file, Location());
    return std::move(result_);
  }

 private:
  /// What tells files apart: the path without links, dots and detours.
  static std::string identity(const std::string& path) {
    std::error_code failed;
    const std::filesystem::path whole = std::filesystem::weakly_canonical(path, failed);
    return failed ? path : whole.string();
  }

  void place(const FileSyntax& tree, const std::shared_ptr<const SourceFile>& file, const Location& import) {
    for (const Item& item : tree.items) {
      if (const ImportSyntax* syntax = std::get_if<ImportSyntax>(&item.data)) {
        import_file(*syntax, file, import);
        continue;
      }
      const BodySyntax* body = std::get_if<BodySyntax>(&item.data);
      const bool is_func = body != nullptr && body->is_function;
      if (import.known() && !is_func && !std::holds_alternative<LetSyntax>(item.data)) continue;
      result_.items.push_back(PlacedItem{&item, file, import});
    }
  }

  void import_file(const ImportSyntax& syntax, const std::shared_ptr<const SourceFile>& file, const Location& outer) {
    const Location place_of_line = locate(file, syntax.path.span);
    const Location here = outer.known() ? place_of_line.within(outer, "imported from here") : place_of_line;
    const bool is_standard = syntax.path.text.starts_with(kStandard);
    const std::string path = is_standard ? syntax.path.text : beside(*file, syntax.path.text);
    const std::string id = is_standard ? path : identity(path);
    if (!check_chain(id, path, here) || !seen_.insert(id).second) return;
    const Result<std::shared_ptr<const SourceFile>> source = is_standard ? read_standard(path)
                                                             : reader_   ? reader_(path)
                                                                         : read_source(path);
    if (!source) {
      sink_.error(source.error().rule, here, source.error().message);
      return;
    }
    const std::shared_ptr<const FileSyntax> tree = parsed(*source, here);
    if (tree == nullptr) return;
    result_.trees.push_back(tree);
    open_.push_back(id);
    place(*tree, *source, here);
    open_.pop_back();
  }

  /// False, with an error, where the import leads back to a file that is being read, or too deep.
  bool check_chain(const std::string& id, const std::string& path, const Location& here) {
    const auto first = std::find(open_.begin(), open_.end(), id);
    if (first == open_.end() && open_.size() <= kDeepestImport) return true;
    if (first == open_.end()) {
      sink_.error("E-import", here, "files import each other more than " + std::to_string(kDeepestImport) + " deep");
      return false;
    }
    std::string chain;
    for (auto it = first; it != open_.end(); ++it) chain += std::filesystem::path(*it).filename().string() + " -> ";
    sink_.error("E-import", here,
                isoshard::quoted(path) + " imports itself: " + chain + std::filesystem::path(id).filename().string() +
                    "; expected files without a circle");
    return false;
  }

  /// The tree of an imported file; its errors say from where it is imported.
  std::shared_ptr<const FileSyntax> parsed(const std::shared_ptr<const SourceFile>& source, const Location& here) {
    DiagnosticSink own;
    std::optional<FileSyntax> tree = parse(source, own);
    for (Diagnostic diagnostic : own.diagnostics()) {
      diagnostic.note(here, "imported from here");
      sink_.add(std::move(diagnostic));
    }
    return tree ? std::make_shared<const FileSyntax>(std::move(*tree)) : nullptr;
  }

  const ImportReader& reader_;
  DiagnosticSink& sink_;
  PlacedItems result_;
  std::vector<std::string> open_;  ///< files that are being read, outermost first
  std::set<std::string> seen_;
};

}  // namespace

PlacedItems place_items(const FileSyntax& tree, const std::shared_ptr<const SourceFile>& file,
                        const ImportReader& reader, DiagnosticSink& sink) {
  return Importer(reader, sink).run(tree, file);
}

std::string beside(const SourceFile& file, const std::string& path) {
  const size_t folder = file.name.rfind('/');
  return path.starts_with("/") || folder == std::string::npos ? path : file.name.substr(0, folder + 1) + path;
}

}  // namespace isoshard::text
