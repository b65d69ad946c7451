// Which of the places around a location are told. A func is made once for all calls that agree, so its ops know the
// first of them ("called from here"); lowering inlines each call and adds that one ("inlined here"), whose own place
// has the first call of its func in it, too. Where calls were inlined they are the true ones, and what a first call
// adds is left out, up to the next inlined one. Cost: the length of the chain.
#include "core/support/call_chain.h"

#include <algorithm>

namespace isoshard {

std::vector<ChainLink> chain_of(const Location& where) {
  std::vector<ChainLink> all, told;
  for (const Location* at = &where; at->outer() != nullptr; at = at->outer()) {
    all.push_back(ChainLink{at->outer(), at->note()});
  }
  const auto inlined = [](const ChainLink& link) { return link.note == kInlined; };
  if (std::none_of(all.begin(), all.end(), inlined)) return all;
  bool is_true = true;
  for (const ChainLink& link : all) {
    if (link.is_call()) is_true = inlined(link);
    if (is_true) told.push_back(link);
  }
  return told;
}

const Location* meeting_under(const Location& where) {
  const Location* at = &where;
  while (at->outer() != nullptr && at->note() != kMeetUnder) at = at->outer();
  return at->outer();
}

}  // namespace isoshard
