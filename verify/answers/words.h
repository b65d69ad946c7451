#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/ir/types/mesh.h"
#include "core/support/location.h"

namespace isoshard::verify {

/// `model=1`, `data=0, model=1`; `the device` on a mesh without axes.
std::string device_name(const Mesh& mesh, int64_t position);

/// The axes in backquotes: "`data` and `model`".
std::string axes_in_words(const std::vector<AxisId>& axes, const Mesh& mesh);

/// `3 devices (model=1; model=2; model=3)`, at most four of them named.
std::string devices_in_words(const std::vector<int64_t>& positions, const Mesh& mesh);

/// `model=1` for one device, `3 devices (...)` for several.
std::string places_in_words(const std::vector<int64_t>& positions, const Mesh& mesh);

/// `1, 2, 3`, at most `most` of them, then `...`.
std::string list_in_words(const std::vector<int64_t>& numbers, size_t most);

/// Adds `one` to `all`, unless it is there.
template <class T>
void add_once(const T& one, std::vector<T>& all) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

/// `A, B, C`.
std::string joined(const std::vector<std::string>& texts, const std::string& between = ", ");

/// `A, B and C`.
std::string enumerated(const std::vector<std::string>& names);

/// `[3, 0]`.
std::string index_in_words(const std::vector<int64_t>& index);

/// `%y = add` of a value that is called `%y`, "`%a + %b` (add)" of one that is called by its expression.
std::string made_in_words(const std::string& value, const std::string& op);

/// The source line of `location` without indentation and comment; empty for call sites.
std::string source_of(const Location& location);

/// `2^-40`; the exponent is rounded up.
std::string power_of_2(double log2);

/// `12.3 ms`, `4.5 s`.
std::string seconds_in_words(double seconds);

/// A double with up to `digits` significant digits.
std::string number(double x, int digits = 6);

}  // namespace isoshard::verify
