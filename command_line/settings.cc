#include "command_line/settings.h"

namespace isoshard::command_line {

int worst(int a, int b) {
  for (const int code : {kBadInput, kDoesNotHold, kUndecided}) {
    if (a == code || b == code) return code;
  }
  return kHolds;
}

}  // namespace isoshard::command_line
