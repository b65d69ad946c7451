#include "library/load/load_request.h"

#include <algorithm>

#include "core/support/quoted.h"

namespace isoshard::library {

std::optional<Pairs> parse_pairs(const std::vector<std::string>& texts, std::string_view option, DiagnosticSink& sink) {
  Pairs result;
  for (const std::string& text : texts) {
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find(',', begin), text.size());
      const std::string part = text.substr(begin, end - begin);
      const size_t equals = part.find('=');
      if (equals == 0 || equals == std::string::npos || equals + 1 == part.size()) {
        sink.error("", {},
                   std::string(option) + " " + isoshard::quoted(text) + ": " + isoshard::quoted(part) +
                       " is not NAME=VALUE; expected for example " + std::string(option) +
                       (option == "--mesh" ? " data=2,model=4" : " d=512"));
        return std::nullopt;
      }
      result.emplace_back(part.substr(0, equals), part.substr(equals + 1));
      begin = end + 1;
    }
  }
  return result;
}

}  // namespace isoshard::library
