#pragma once

#include <string_view>
#include <vector>

#include "core/support/location.h"

namespace isoshard {

/// What `Location::note` says where a func was made for the first call of its kind, and where a call was inlined.
inline constexpr std::string_view kCalled = "called from here", kInlined = "inlined here";

/// What it says at an assert_equal between the choice that is asserted and a collective under it: devices that choose
/// differently wait there for each other.
inline constexpr std::string_view kMeetUnder = "under this choice devices meet here";

/// The collective under a choice whose place is `where`; null for other places.
const Location* meeting_under(const Location& where);

/// One place around another: that of a call, or of an iteration.
struct ChainLink {
  const Location* at;
  std::string_view note;

  bool is_call() const { return note == kCalled || note == kInlined; }
};

/// The places around `where`, as people are told them, innermost first: each once, and of calls those by which it was
/// reached.
std::vector<ChainLink> chain_of(const Location& where);

}  // namespace isoshard
