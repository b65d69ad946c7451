#pragma once

#include <string>
#include <string_view>

namespace isoshard::pictures {

/// `text` between tags or in a quoted attribute of HTML and XML: `<`, `>`, `&` and both quotes are entities, and bytes
/// that are not UTF-8 and characters that XML does not have become U+FFFD.
std::string escaped(std::string_view text);

/// JSON inside of a script element: no `<`, `>` or `&` is left, whatever its strings hold. `json` is JSON in ASCII.
std::string script_json(std::string_view json);

}  // namespace isoshard::pictures
