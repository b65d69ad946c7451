#pragma once  // internal

#include <string_view>

namespace isoshard::pictures {

/// The style of pages, light and dark.
std::string_view page_style();
/// Their script: shows for the value in focus what each device holds, and moves the focus by arrow keys.
std::string_view page_script();

}  // namespace isoshard::pictures
