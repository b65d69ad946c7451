// What was issued, and where it differs from what was expected, in words: each function has a name for each of its
// arguments, so that a difference says which one it is. Cost: a comparison of numbers; words only for a difference.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <initializer_list>
#include <string_view>

#include "core/plan/calls/expected_calls.h"
#include "core/plan/calls/print_calls.h"

namespace isoshard::calls {
namespace {

/// How an argument is said.
enum class Say : uint8_t { number, place, stream, event, communicator, nccl_type, nccl_op, kernel, digest, real };

struct Parameter {
  std::string_view name;
  Say say = Say::number;
};

struct Signature {
  std::string_view name;
  std::vector<Parameter> parameters;
};

std::vector<Parameter> product_parameters() {
  std::vector<Parameter> all{{"compute type"}, {"scale type"},       {"transa"},           {"transb"},
                             {"epilogue"},     {"bias", Say::place}, {"alpha", Say::real}, {"beta", Say::real}};
  static constexpr std::string_view kParts[4][8] = {{"A", "type of A", "order of A", "rows of A", "columns of A",
                                                     "leading dimension of A", "batch of A", "stride of A"},
                                                    {"B", "type of B", "order of B", "rows of B", "columns of B",
                                                     "leading dimension of B", "batch of B", "stride of B"},
                                                    {"C", "type of C", "order of C", "rows of C", "columns of C",
                                                     "leading dimension of C", "batch of C", "stride of C"},
                                                    {"D", "type of D", "order of D", "rows of D", "columns of D",
                                                     "leading dimension of D", "batch of D", "stride of D"}};
  for (const auto& parts : kParts) {
    for (const std::string_view part : parts) all.push_back({part, part.size() == 1 ? Say::place : Say::number});
  }
  all.push_back({"workspace of stream", Say::stream});
  all.push_back({"stream", Say::stream});
  return all;
}

/// By Function.
const std::vector<Signature>& signatures() {
  const Parameter send{"send", Say::place}, receive{"receive", Say::place}, count{"count"},
      type{"type", Say::nccl_type};
  const Parameter op{"op", Say::nccl_op}, on{"communicator", Say::communicator}, stream{"stream", Say::stream};
  const Parameter event{"event", Say::event}, peer{"peer"};
  static const std::vector<Signature> all{
      {"ncclCommInitRankConfig", {{"ranks"}, {"rank"}}},
      {"ncclCommSplit", {on, {"color"}, {"key"}, {"size"}, {"index"}}},
      {"cudaEventRecord", {event, stream}},
      {"cudaStreamWaitEvent", {stream, event}},
      {"cudaMemsetAsync", {{"place", Say::place}, {"value"}, {"bytes"}, stream}},
      {"a kernel", {{"kind", Say::kernel}, {"data", Say::digest}, {"memory", Say::place}, stream}},
      {"cublasLtMatmul", product_parameters()},
      {"ncclAllReduce", {send, receive, count, type, op, on, stream}},
      {"ncclAllGather", {send, receive, count, type, on, stream}},
      {"ncclReduceScatter", {send, receive, count, type, op, on, stream}},
      {"ncclAlltoAll", {send, receive, count, type, on, stream}},
      {"ncclGroupStart", {}},
      {"ncclSend", {send, count, type, peer, on, stream}},
      {"ncclRecv", {receive, count, type, peer, on, stream}},
      {"ncclGroupEnd", {}},
      {"cudaStreamBeginCapture", {stream}},
      {"cudaStreamEndCapture", {stream}},
      {"cudaGraphLaunch", {stream}},
  };
  return all;
}

/// One of some names, by number.
std::string named(int64_t number, std::initializer_list<std::string_view> names) {
  if (number >= 0 && number < static_cast<int64_t>(names.size())) return std::string(names.begin()[number]);
  std::string text("number ");
  return text += std::to_string(number);
}

class IssuedPrinter {
 public:
  explicit IssuedPrinter(const CallList& list) : list_(list) {}

  std::string whole(const IssuedCall& issued) const {
    const Signature& signature = of(issued);
    std::string text(signature.name);
    for (size_t i = 0; i < issued.arguments.size(); ++i) text += i == 0 ? " of " : ", ", text += argument(issued, i);
    return text;
  }

  /// What differs between two calls of one function.
  std::string difference(const IssuedCall& issued, const IssuedCall& expected) const {
    std::string text("issued ");
    text += of(issued).name;
    bool first = true;
    for (size_t i = 0; i < issued.arguments.size(); ++i) {
      if (issued.arguments[i] == expected.arguments[i]) continue;
      text += first ? " with " : ", ";
      text += argument(issued, i);
      text += ", expected ";
      text += value(of(issued).parameters[i].say, expected.arguments[i]);
      first = false;
    }
    return text;
  }

 private:
  static const Signature& of(const IssuedCall& issued) { return signatures()[static_cast<size_t>(issued.function)]; }

  std::string argument(const IssuedCall& issued, size_t i) const {
    const Parameter& parameter = of(issued).parameters[i];
    std::string text(parameter.name);
    text += " ";
    return text += value(parameter.say, issued.arguments[i]);
  }

  std::string value(Say say, int64_t number) const {
    switch (say) {
      case Say::number:
        break;
      case Say::place:
        return number == kNowhere ? "that is not said" : place_text(number, list_);
      case Say::stream:
        return number < 0 ? "that was never made" : "\"" + list_.streams[static_cast<size_t>(number)] + "\"";
      case Say::event:
        return event(number);
      case Say::communicator:
        return number < 0 ? "that was never made" : list_.communicators[static_cast<size_t>(number)].name;
      case Say::nccl_type:
        return named(number,
                     {"ncclInt8", "ncclUint8", "ncclInt32", "ncclUint32", "ncclInt64", "ncclUint64", "ncclFloat16",
                      "ncclFloat32", "ncclFloat64", "ncclBfloat16", "ncclFloat8e4m3", "ncclFloat8e5m2"});
      case Say::nccl_op:
        return named(number, {"ncclSum", "ncclProd", "ncclMax", "ncclMin", "ncclAvg"});
      case Say::kernel:
        return named(number, {"map", "product", "fill", "reduce", "reduce of map", "join_chunks", "rows",
                              "sum_of_products", "running_sum", "largest", "copy_block", "take_rows", "add_rows",
                              "fold_in", "split_key", "random_bits"});
      case Say::digest:
      case Say::real:
        return bits(say, number);
    }
    return std::to_string(number);
  }

  static std::string bits(Say say, int64_t number) {
    char text[40];
    if (say == Say::real) {
      std::snprintf(text, sizeof text, "%.17g", std::bit_cast<double>(number));
    } else {
      std::snprintf(text, sizeof text, "of digest %016llx", static_cast<unsigned long long>(number));
    }
    return text;
  }

  std::string event(int64_t event) const {
    if (event < 0) return "that was never made";
    const int64_t number = event & 0xffffffff;
    std::string text;
    switch (static_cast<EventRole>(event >> 32)) {
      case EventRole::listed:
        return std::to_string(number);
      case EventRole::begin:
        return "of the begin";
      case EventRole::end:
        text += "of the end of stream \"", text += list_.streams[static_cast<size_t>(number)];
        return text += "\"";
      case EventRole::mark:
        text += "behind call ";
        return text += std::to_string(number);
    }
    return text;
  }

  const CallList& list_;
};

}  // namespace

std::string to_text(const IssuedCall& issued, const CallList& list) { return IssuedPrinter(list).whole(issued); }

std::optional<IssueDifference> first_difference(const CallList& list, const std::vector<ExpectedCall>& expected,
                                                const std::vector<IssuedCall>& issued, bool ended) {
  const IssuedPrinter printer(list);
  const size_t common = std::min(expected.size(), issued.size());
  for (size_t i = 0; i < common; ++i) {
    const IssuedCall &ours = issued[i], &theirs = expected[i].issued;
    if (ours == theirs) continue;
    if (ours.function == theirs.function) {
      return IssueDifference{i, expected[i].call, printer.difference(ours, theirs)};
    }
    return IssueDifference{i, expected[i].call,
                           "issued " + printer.whole(ours) + "; expected " + printer.whole(theirs)};
  }
  if (issued.size() > common) {
    return IssueDifference{common, std::nullopt, "issued " + printer.whole(issued[common]) + "; expected nothing more"};
  }
  if (!ended || expected.size() == common) return std::nullopt;
  return IssueDifference{common, expected[common].call,
                         "issued nothing more; expected " + printer.whole(expected[common].issued)};
}

}  // namespace isoshard::calls
