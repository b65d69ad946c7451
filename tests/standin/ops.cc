// Collectives and messages in words.
#include "tests/standin/ops.h"

namespace standin {
namespace {

const char* dtype_text(ncclDataType_t dtype) {
  static const char* const names[] = {"i8",  "u8",  "i32", "u32",  "i64",    "u64",
                                      "f16", "f32", "f64", "bf16", "f8e4m3", "f8e5m2"};
  return names[dtype];
}

const char* kind_text(Kind kind) {
  static const char* const names[] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all",
                                      "broadcast",  "reduce",     "send",           "receive"};
  return names[static_cast<size_t>(kind)];
}

}  // namespace

size_t bytes_of(ncclDataType_t dtype) {
  static constexpr size_t kBytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return kBytes[dtype];
}

bool is_message(const Op& op) { return op.kind == Kind::send || op.kind == Kind::receive; }

bool has_root(const Op& op) { return op.kind == Kind::broadcast || op.kind == Kind::reduce; }

std::string to_text(const Op& op) {
  static const char* const names[] = {"sum", "prod", "max", "min", "avg"};
  std::string text = std::string(kind_text(op.kind)) + "(" + std::to_string(op.count) + " " + dtype_text(op.dtype);
  const bool reduces = op.kind == Kind::all_reduce || op.kind == Kind::reduce_scatter || op.kind == Kind::reduce;
  if (reduces) text += std::string(" ") + names[op.op];
  if (has_root(op)) text += " root " + std::to_string(op.peer);
  if (op.kind == Kind::send) text += " to " + std::to_string(op.peer);
  if (op.kind == Kind::receive) text += " from " + std::to_string(op.peer);
  return text + ")";
}

}  // namespace standin
