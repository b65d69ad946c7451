#include <isoshard/version.h>

namespace isoshard {
inline namespace v1 {

const char* version() { return ISOSHARD_VERSION; }

}  // namespace v1
}  // namespace isoshard
