// Collectives over one axis of all ranks, as a program, whose result sim knows, and as lists of calls that are written
// here: what is measured is the collective alone, many times, without the kernels that a program has around it. Sizes
// count as those of nccl-tests do: all_reduce and sends the bytes of one rank, others those of all. Cost: none to speak
// of.
#include "bench/gpu/programs/collective_kind.h"

#include <iterator>

namespace isoshard::bench {
namespace {

using Kind = calls::Collective::Kind;

constexpr int64_t kLine = 256;  // where buffers begin

constexpr CollectiveKind kKinds[] = {
    {"all_reduce", "all_reduce %x {axis=r}", "-", false, true, "sum"},
    {"all_gather", "all_gather %x {axis=r, dim=0, to=R}", "-", true, true},
    {"reduce_scatter", "reduce_scatter %x {axis=r, dim=0}", "r", true, true, "sum"},
    {"all_to_all", "all_to_all %x {axis=r, split_dim=0, concat_dim=0}", "r", true, false},
    {"sendrecv", "collective_permute %x {axis=r, shift=1}", "r", false, false},
};

bool is(const CollectiveKind& kind, std::string_view name) { return kind.name == name; }

Kind kind_of(const CollectiveKind& kind) {
  if (is(kind, "all_gather")) return Kind::all_gather;
  if (is(kind, "reduce_scatter")) return Kind::reduce_scatter;
  return is(kind, "all_to_all") ? Kind::all_to_all : Kind::all_reduce_sum;
}

/// Elements that one rank receives from each, or sends to each; of all_reduce and sends all that it has.
int64_t block_of(const CollectiveKind& kind, int64_t ranks, const CollectiveSizes& sizes) {
  if (is(kind, "reduce_scatter") || is(kind, "all_to_all")) return sizes.sends / ranks;
  return sizes.sends;
}

IndexRange block(int64_t index, int64_t elements) { return {{index * elements}, {(index + 1) * elements}}; }

/// Where a rank has what it sends and what it receives.
struct Places {
  calls::Place send = 0, receive = 0;
  int64_t bytes = 0;
};

Places places_of(const CollectiveKind& kind, int64_t rank, size_t element, const CollectiveSizes& sizes,
                 Buffers buffers) {
  const auto width = static_cast<int64_t>(element);
  const int64_t sends = sizes.sends * width, receives = sizes.receives * width;
  if (buffers == Buffers::apart) {
    const int64_t second = (sends + kLine - 1) / kLine * kLine;
    return {0, second, second + receives};
  }
  if (is(kind, "all_gather")) return {rank * sends, 0, receives};
  if (is(kind, "reduce_scatter")) return {0, rank * receives, sends};
  return {0, 0, sends};
}

decltype(calls::Call::what) call_of(const CollectiveKind& kind, int64_t rank, int64_t ranks, DType dtype,
                                    const CollectiveSizes& sizes, const Places& places) {
  const int64_t count = block_of(kind, ranks, sizes);
  if (!is(kind, "sendrecv")) return calls::Collective{kind_of(kind), 0, dtype, count, places.send, places.receive};
  const int64_t next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  return calls::Messages{0, dtype, {{true, next, count, places.send}, {false, last, count, places.receive}}};
}

}  // namespace

std::span<const CollectiveKind> collective_kinds() { return kKinds; }

double bus_factor(const CollectiveKind& kind, int64_t ranks) {
  const double others = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  if (is(kind, "sendrecv")) return 1;
  return is(kind, "all_reduce") ? 2 * others : others;
}

CollectiveSizes sizes_of(const CollectiveKind& kind, int64_t ranks, DType dtype, int64_t bytes) {
  const auto width = static_cast<int64_t>(info(dtype).bytes);
  const int64_t block = bytes / width / (kind.of_all ? ranks : 1);  // of one rank, of each other one or of all
  const int64_t all = block * (kind.of_all ? ranks : 1);
  return {is(kind, "all_gather") ? block : all, is(kind, "reduce_scatter") ? block : all, all * width};
}

std::string program_text(const CollectiveKind& kind, int64_t ranks, DType dtype, int64_t sends) {
  const std::string count = std::to_string(sends * ranks);
  return "isoshard 1\nmesh @m [r=" + std::to_string(ranks) + "]\nglobal @x : " + std::string(name(dtype)) + "[" +
         count + "] input\nuntyped program @p on @m {\n  %x = view @x [r]\n  %y = " + kind.op + "\n  return @y = %y [" +
         kind.result + "]\n}\n";
}

std::vector<calls::CallList> collective_lists(const CollectiveKind& kind, int64_t ranks, DType dtype,
                                              const CollectiveSizes& sizes, Buffers buffers, int64_t calls) {
  std::vector<calls::CallList> lists;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    const Places places = places_of(kind, rank, info(dtype).bytes, sizes, buffers);
    calls::CallList& list = lists.emplace_back();
    list.position = rank;
    list.bytes = places.bytes;
    list.sections = {{"buffers", 0, places.bytes}};
    list.streams = {"comm r"};
    list.communicators = {{"r", 0, rank, ranks}};
    list.inputs = {{0, block(rank, sizes.sends), places.send}};
    const bool whole = kind.result[0] == '-';
    list.outputs = {{0, block(whole ? 0 : rank, sizes.receives), places.receive}};
    const calls::Call call{0, {}, call_of(kind, rank, ranks, dtype, sizes, places)};
    list.calls.assign(static_cast<size_t>(calls), call);
  }
  return lists;
}

}  // namespace isoshard::bench
