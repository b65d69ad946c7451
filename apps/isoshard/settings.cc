#include "apps/isoshard/settings.h"

namespace isoshard::app {

int worst(int a, int b) {
  for (const int code : {kBadInput, kDoesNotHold, kUndecided}) {
    if (a == code || b == code) return code;
  }
  return kHolds;
}

}  // namespace isoshard::app
