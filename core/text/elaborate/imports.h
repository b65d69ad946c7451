#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/support/diagnostic.h"
#include "core/support/result_fwd.h"
#include "core/text/syntax/syntax.h"
#include "core/text/text.h"

namespace isoshard::text {

/// An item of a file or of one that it imports.
struct PlacedItem {
  const Item* item = nullptr;
  std::shared_ptr<const SourceFile> file;
  Location import{};  ///< of the line that imports `file`; unknown for an item of the file itself
};

/// The items of a file and, where an import stands, the funcs and lets of what it imports.
struct PlacedItems {
  std::vector<PlacedItem> items;
  std::vector<std::shared_ptr<const FileSyntax>> trees;  ///< of imported files, which the items point into
};

/// Reads what `tree`, the tree of `file`, imports: each file once. Reports files that cannot be read or parsed (P-...)
/// and those that import themselves (E-import); their items are missing then.
PlacedItems place_items(const FileSyntax& tree, const std::shared_ptr<const SourceFile>& file,
                        const ImportReader& reader, DiagnosticSink& sink);

/// `path` beside `file`, which names it.
std::string beside(const SourceFile& file, const std::string& path);

}  // namespace isoshard::text
