// A rank of a store on a socket, other than 0: one connection. It waits with sending where much has not gone yet, so
// that its memory does not hold all outputs once more. Cost: a system call a frame.
#include <poll.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "exec/store/connection.h"
#include "exec/store/hello.h"
#include "exec/store/sockets.h"
#include "exec/store/tcp_stores.h"
#include "exec/store/time_left.h"

namespace isoshard::exec {
namespace {

class TcpMember final : public Store {
 public:
  explicit TcpMember(Connection connection) : connection_(std::move(connection)) {}

  Outcome<> send(size_t, const Frame& frame) override {
    connection_.add(frame);
    while (connection_.has_unsent() && frame.body.size() > kLong) {
      if (!connection_.exchange()) break;  // told as an arrival
      if (connection_.has_unsent()) wait({}, 1);
    }
    return {};
  }

  bool has_unsent() const override { return open_ && connection_.has_unsent(); }
  void release() override { connection_.release(); }

 protected:
  std::vector<Arrival> attend(std::span<const int> also, double seconds) override {
    std::vector<Arrival> arrivals;
    open_ = connection_.exchange() && open_;
    take_frames(arrivals);
    if (!arrivals.empty() || !open_) return arrivals;
    wait(also, seconds);
    open_ = connection_.exchange() && open_;
    take_frames(arrivals);
    return arrivals;
  }

 private:
  static constexpr size_t kLong = 1 << 16;

  void wait(std::span<const int> also, double seconds) const {
    std::vector<pollfd> polled{{connection_.descriptor(), connection_.events(), 0}};
    for (const int descriptor : also) polled.push_back({descriptor, POLLIN, 0});
    poll(polled.data(), polled.size(), static_cast<int>(std::ceil(std::clamp(seconds, 0.0, 1e6) * 1e3)));
  }

  void take_frames(std::vector<Arrival>& arrivals) {
    for (;;) {
      Frame frame;
      const Connection::Next next = connection_.next(kMostOfFrame, frame);
      if (next == Connection::Next::none) break;
      if (next == Connection::Next::frame) {
        arrivals.push_back(Arrival{0, std::move(frame)});
        continue;
      }
      open_ = false;
      arrivals.push_back(Arrival{0, std::nullopt, "has sent a frame that is too long"});
      return;
    }
    if (!open_ && arrivals.empty()) arrivals.push_back(Arrival{0, std::nullopt, "has closed its connection"});
  }

  Connection connection_;
  bool open_ = true;
};

}  // namespace

Outcome<std::unique_ptr<Store>> join_at_port(const StoreAddress& address, const Identity& identity, double seconds) {
  const TimeLeft left(seconds);
  const Outcome<int> connected = connect_to(address, seconds);
  if (!connected) {
    return tl::unexpected(
        Failure{Failure::Kind::timed_out, no_answer(address, "found nobody in time: " + connected.error().message)});
  }
  auto member = std::make_unique<TcpMember>(Connection(*connected));
  if (const Outcome<> sent = member->send(0, hello_of(identity)); !sent) return tl::unexpected(sent.error());
  for (;;) {
    if (left.is_over()) {
      return tl::unexpected(Failure{Failure::Kind::timed_out, no_answer(address, "had no answer in time")});
    }
    const std::optional<Arrival> arrival = member->next({}, left.seconds());
    if (!arrival) continue;
    const std::optional<std::string> refused =
        arrival->frame ? refusal(*arrival->frame) : "was hung up on before it was answered";
    if (!refused) return member;
    return tl::unexpected(Failure{Failure::Kind::failed, no_answer(address, *refused)});
  }
}

}  // namespace isoshard::exec
