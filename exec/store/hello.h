#pragma once  // internal

#include <optional>
#include <set>
#include <string>
#include <tl/expected.hpp>

#include "exec/store/store.h"

namespace isoshard::exec {

/// Kinds of frames of the store itself; all others are its users'.
inline constexpr char kHello = 'H';    ///< who comes, with the token
inline constexpr char kKnown = 'K';    ///< the answer to one who may stay
inline constexpr char kRefused = 'X';  ///< the answer to anybody else, in words

/// The first frame of a rank.
Frame hello_of(const Identity& identity);

/// Who that is, where it has the token of `host` and a rank of its job that is not in `known`; else why it may not
/// stay. Who has another token is told nothing about the job.
tl::expected<size_t, std::string> admit(const Frame& hello, const Identity& host, const std::set<size_t>& known);

/// What the answer of rank 0 says: nothing where one may stay, else why not.
std::optional<std::string> refusal(const Frame& answer);

/// The same for no answer at all.
std::string no_answer(const StoreAddress& address, const std::string& why);

}  // namespace isoshard::exec
