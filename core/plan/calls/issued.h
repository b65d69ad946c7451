#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/plan/calls/call.h"

/// What a rank really issued: the functions of CUDA, NCCL and cuBLASLt that it called for its streams, in order, with
/// what they were given (docs/spec/calls.md, "Comparison"). This header is also compiled into backends.
namespace isoshard::calls {

/// What was called; the arguments of each in words: `issued_text.cc`.
enum class Function : uint8_t {
  meet,   ///< ncclCommInitRankConfig
  split,  ///< ncclCommSplit
  record,
  wait,
  fill,
  kernel,
  product,
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  group_start,
  send,
  receive,
  group_end,
  begin_capture,
  end_capture,
  launch_graph,
};

/// A call. Handles are numbers: streams and communicators in the order in which they were made, pointers as Places,
/// constants of the libraries as in their headers, reals as their bits.
struct IssuedCall {
  Function function{};
  std::vector<int64_t> arguments;
  bool operator==(const IssuedCall&) const = default;
};

/// What an event is for.
enum class EventRole : uint8_t {
  listed,  ///< an event of the list
  mark,    ///< how far communication has come: behind that call of the list
  begin,   ///< of a step
  end,     ///< of a step, on that stream
};
/// The number of an event as an argument.
constexpr int64_t event_number(EventRole role, int64_t number) { return static_cast<int64_t>(role) << 32 | number; }

/// A handle that nobody made known.
inline constexpr int64_t kUnknownHandle = -1;
/// A place that is not said.
inline constexpr int64_t kNowhere = -1;

/// Which of the local calls a kernel is.
template <class Kernel, class... All>
constexpr int64_t number_among(const std::variant<All...>*) {
  int64_t number = 0;
  static_cast<void>(((++number, std::is_same_v<Kernel, All>) || ...));
  return number - 1;
}
template <class Kernel>
constexpr int64_t kernel_number() {
  return number_among<Kernel>(static_cast<const LocalCall*>(nullptr));
}

/// Of the bytes that a kernel is told by value.
template <class Kernel>
int64_t digest_of(const Kernel& kernel) {
  static_assert(std::is_trivially_copyable_v<Kernel> && sizeof(Kernel) % sizeof(uint64_t) == 0);
  uint64_t digest = 0xcbf29ce484222325ULL;
  for (size_t i = 0; i < sizeof kernel; i += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const unsigned char*>(&kernel) + i, sizeof word);
    digest = (digest ^ word) * 0x100000001b3ULL;
    digest ^= digest >> 32;
  }
  return static_cast<int64_t>(digest);
}

}  // namespace isoshard::calls
