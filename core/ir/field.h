#pragma once

#include <string_view>

namespace isoshard {

/// One named field of an op: printing, parsing, equality and the op's reference page are derived from it.
template <class Op, class T>
struct Field {
  using Type = T;
  std::string_view name;
  T Op::*member;
  std::string_view doc;
  bool required;
};

/// A field that must be written.
template <class Op, class T>
constexpr Field<Op, T> field(std::string_view name, T Op::*member, std::string_view doc) {
  return {name, member, doc, true};
}

/// A field that may be omitted: its default-constructed value then holds, and is not printed.
template <class Op, class T>
constexpr Field<Op, T> optional_field(std::string_view name, T Op::*member, std::string_view doc) {
  return {name, member, doc, false};
}

}  // namespace isoshard
