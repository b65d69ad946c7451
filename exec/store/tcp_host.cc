// Rank 0 of a store on a socket. One poll() waits for whoever comes, all ranks, and what else its owner waits for.
// Somebody who has not shown the token is a stranger: at most so many of them, each for a few seconds and with a short
// first frame, so that one who sends garbage, or a byte and then nothing, keeps nobody else waiting and fills no
// memory. Cost: a system call a frame, and a look at all connections each time.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <optional>
#include <set>
#include <utility>

#include "exec/store/connection.h"
#include "exec/store/hello.h"
#include "exec/store/sockets.h"
#include "exec/store/tcp_stores.h"
#include "exec/store/time_left.h"

namespace isoshard::exec {
namespace {

constexpr double kPatience = 5;  // with strangers
constexpr size_t kMostStrangers = 64;
constexpr size_t kMostNoted = 4;

/// Somebody who is connected.
struct Guest {
  Connection connection;
  std::string from;
  TimeLeft patience{kPatience};
  std::optional<size_t> rank{};
  bool leaves = false;
};

class TcpHost final : public Store {
 public:
  TcpHost(int listener, Identity identity) : listener_(listener), identity_(std::move(identity)) {}
  ~TcpHost() override {
    if (listener_ >= 0) close(listener_);
  }
  TcpHost(const TcpHost&) = delete;
  TcpHost& operator=(const TcpHost&) = delete;

  Outcome<> send(size_t rank, const Frame& frame) override {
    Guest* const guest = find(rank);
    if (guest == nullptr) return {};  // its end has been, or will be, an arrival
    guest->connection.add(frame);
    return {};
  }

  bool has_unsent() const override {
    return std::any_of(guests_.begin(), guests_.end(),
                       [](const Guest& guest) { return guest.rank && guest.connection.has_unsent(); });
  }

  std::string strangers() const override { return noted_; }

  void release() override {
    for (Guest& guest : guests_) guest.connection.release();
    guests_.clear();
  }

 protected:
  std::vector<Arrival> attend(std::span<const int> also, double seconds) override {
    wait(also, seconds);
    take_new();
    std::vector<Arrival> arrivals;
    for (Guest& guest : guests_) {
      const bool open = guest.connection.exchange();
      take_frames(guest, arrivals);
      if (!open && !guest.leaves) lose(guest, "has closed its connection", arrivals);
      if (!guest.rank && guest.patience.is_over()) refuse(guest, "somebody who says nothing");
      if (guest.leaves) guest.connection.exchange();  // the last words
    }
    guests_.remove_if([](const Guest& guest) { return guest.leaves; });
    return arrivals;
  }

 private:
  Guest* find(size_t rank) {
    const auto found = std::find_if(guests_.begin(), guests_.end(), [&](const Guest& g) { return g.rank == rank; });
    return found == guests_.end() ? nullptr : &*found;
  }

  void wait(std::span<const int> also, double seconds) {
    std::vector<pollfd> polled{{listener_, POLLIN, 0}};
    for (const int descriptor : also) polled.push_back({descriptor, POLLIN, 0});
    for (const Guest& guest : guests_) {
      polled.push_back({guest.connection.descriptor(), guest.connection.events(), 0});
      if (!guest.rank) seconds = std::min(seconds, 0.5);  // to end its time
    }
    poll(polled.data(), polled.size(), static_cast<int>(std::ceil(std::clamp(seconds, 0.0, 1e6) * 1e3)));
  }

  void take_new() {
    for (;;) {
      pollfd waiting{listener_, POLLIN, 0};
      if (poll(&waiting, 1, 0) <= 0) return;
      const int descriptor = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (descriptor < 0) return;
      guests_.push_back(Guest{Connection(descriptor), name_of_peer(descriptor)});
      const auto is_stranger = [](const Guest& guest) { return !guest.rank; };
      const auto strangers = std::count_if(guests_.begin(), guests_.end(), is_stranger);
      if (static_cast<size_t>(strangers) <= kMostStrangers) continue;
      const auto oldest = std::find_if(guests_.begin(), guests_.end(), is_stranger);
      note("too many who say nothing", oldest->from);
      guests_.erase(oldest);
    }
  }

  void take_frames(Guest& guest, std::vector<Arrival>& arrivals) {
    while (!guest.leaves) {
      Frame frame;
      const auto next = guest.connection.next(guest.rank ? kMostOfFrame : kMostOfStranger, frame);
      if (next == Connection::Next::none) return;
      const bool whole = next == Connection::Next::frame;
      if (!guest.rank) {
        meet(guest, whole ? frame : Frame());
      } else if (whole) {
        arrivals.push_back(Arrival{*guest.rank, std::move(frame)});
      } else {
        lose(guest, "has sent a frame that is too long", arrivals);
      }
    }
  }

  void meet(Guest& guest, const Frame& hello) {
    const tl::expected<size_t, std::string> rank = admit(hello, identity_, known_);
    if (!rank) return refuse(guest, rank.error());
    guest.rank = *rank;
    known_.insert(*rank);
    guest.connection.add(Frame{kKnown, {}});
    guest.connection.exchange();
  }

  void refuse(Guest& guest, const std::string& as) {
    guest.leaves = true;
    guest.connection.add(FrameWriter(kRefused).put_text(as).frame());
    note(as, guest.from);
  }

  void note(const std::string& what, const std::string& from) {
    if (++strangers_ > kMostNoted) return;
    noted_ += (noted_.empty() ? "" : ", ") + what + " from " + from;
  }

  /// A rank leaves; somebody else only goes.
  static void lose(Guest& guest, const char* why, std::vector<Arrival>& arrivals) {
    guest.leaves = true;
    if (guest.rank) arrivals.push_back(Arrival{*guest.rank, std::nullopt, why});
  }

  int listener_;
  Identity identity_;
  std::list<Guest> guests_{};
  std::set<size_t> known_{};
  size_t strangers_ = 0;
  std::string noted_{};
};

}  // namespace

Outcome<std::unique_ptr<Store>> host_at_port(StoreAddress address, const Identity& identity) {
  const Outcome<int> listener = listen_at(address);
  if (!listener) return tl::unexpected(listener.error());
  return std::make_unique<TcpHost>(*listener, identity);
}

}  // namespace isoshard::exec
