#include "tests/standin/remote/message.h"

namespace standin {

void Writer::put_bytes(const void* data, size_t bytes) {
  const auto* const first = static_cast<const std::byte*>(data);
  bytes_.insert(bytes_.end(), first, first + bytes);
}

}  // namespace standin
