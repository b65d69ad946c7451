#include "core/ir/types/global.h"

namespace isoshard {

std::string_view name(Role role) {
  switch (role) {
    case Role::param:
      return "param";
    case Role::input:
      return "input";
    case Role::constant:
      return "const";
    case Role::key:
      return "key";
    case Role::state:
      return "state";
  }
  return "";
}

std::string_view name(InitKind kind) {
  switch (kind) {
    case InitKind::normal:
      return "normal";
    case InitKind::uniform:
      return "uniform";
    case InitKind::lecun_normal:
      return "lecun_normal";
    case InitKind::zeros:
      return "zeros";
    case InitKind::ones:
      return "ones";
    case InitKind::value:
      return "value";
  }
  return "";
}

}  // namespace isoshard
