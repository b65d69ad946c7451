#include <isoshard/errors.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace isoshard {
inline namespace v1 {
namespace {

std::string text_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += finding.text;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

InputError::InputError(std::vector<Finding> findings)
    : std::runtime_error(text_of(findings)),
      findings_(std::make_shared<const std::vector<Finding>>(std::move(findings))) {}

}  // namespace v1
}  // namespace isoshard
