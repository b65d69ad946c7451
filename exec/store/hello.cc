// How a rank is known. The token comes first of what is compared, in a time that does not depend on where it differs,
// so that it cannot be guessed byte by byte. It goes over the network as it is: it keeps other jobs and strangers out,
// and nobody who can read the network (docs/exec.md). Cost: one frame each way.
#include "exec/store/hello.h"

namespace isoshard::exec {
namespace {

constexpr std::string_view kMagic = "isoshard store 1";

bool same_in_constant_time(std::string_view given, std::string_view own) {
  unsigned different = given.size() == own.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    const char expected = own.empty() ? '\0' : own[i % own.size()];
    different |= static_cast<unsigned char>(given[i] ^ expected);
  }
  return different == 0;
}

}  // namespace

Frame hello_of(const Identity& identity) {
  return FrameWriter(kHello)
      .put_text(kMagic)
      .put_text(identity.token)
      .put(static_cast<uint64_t>(identity.rank))
      .put(static_cast<uint64_t>(identity.ranks))
      .frame();
}

tl::expected<size_t, std::string> admit(const Frame& hello, const Identity& host, const std::set<size_t>& known) {
  FrameReader in(hello);
  const std::optional<std::string> magic = in.take_text(), token = in.take_text();
  const std::optional<uint64_t> rank = in.take<uint64_t>(), ranks = in.take<uint64_t>();
  const bool is_hello = hello.kind == kHello && magic == kMagic && ranks && in.rest().empty();
  if (!is_hello) return tl::unexpected(std::string("something that is no rank of isoshard"));
  if (!same_in_constant_time(*token, host.token)) return tl::unexpected(std::string("another token"));
  if (*ranks != host.ranks) {
    return tl::unexpected("a rank of a job of " + std::to_string(*ranks) + " ranks; this one has " +
                          std::to_string(host.ranks));
  }
  if (*rank == 0 || *rank >= host.ranks || known.count(*rank) == 1) {
    return tl::unexpected("a second rank " + std::to_string(*rank) + "; expected each rank once");
  }
  return static_cast<size_t>(*rank);
}

std::optional<std::string> refusal(const Frame& answer) {
  if (answer.kind == kKnown && answer.body.empty()) return std::nullopt;
  const std::optional<std::string> text = FrameReader(answer).take_text();
  if (answer.kind == kRefused && text) return "was refused as " + *text;
  return "was answered by something that is no store of isoshard";
}

std::string no_answer(const StoreAddress& address, const std::string& why) {
  return "the store at " + address.text() + ": this rank " + why +
         "; expected rank 0 of the same job there (ISOSHARD_STORE names another place, ISOSHARD_TOKEN the job)";
}

}  // namespace isoshard::exec
