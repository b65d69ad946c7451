// A store in a folder, for where ranks reach no port of each other but share files. Frames are files with a number,
// `up.RANK.N` to rank 0 and `down.RANK.N` from it; `present.RANK` is locked by a process that lives. The one of rank 0
// is also what keeps a second job out; what a job left that was killed is removed by the next. Cost: a look each five
// milliseconds at one name per rank, and at a lock per rank each tenth of a second.
#include "exec/store/file_store.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "exec/store/folder.h"
#include "exec/store/hello.h"
#include "exec/store/time_left.h"

namespace isoshard::exec {
namespace {

constexpr double kBetweenLooks = 0.005;
constexpr double kBetweenCounts = 0.1;

/// True where one of them can be read.
bool wait_a_moment(std::span<const int> also, double seconds) {
  std::vector<pollfd> polled;
  for (const int descriptor : also) polled.push_back({descriptor, POLLIN, 0});
  const double moment = std::clamp(seconds, 0.0, kBetweenLooks);
  return poll(polled.data(), polled.size(), static_cast<int>(std::ceil(moment * 1e3))) > 0;
}

/// Frames to and from one other rank.
class Peer {
 public:
  Peer(const std::string& folder, size_t rank, bool is_host, size_t other)
      : rank_(other),
        to_(folder + (is_host ? "/down." : "/up.") + std::to_string(rank) + "."),
        from_(folder + (is_host ? "/up." : "/down.") + std::to_string(rank) + "."),
        present_(folder + "/present." + std::to_string(other)) {}

  size_t rank() const { return rank_; }
  bool is_there() const { return is_present(present_); }
  bool has_left() const { return left_; }
  Outcome<> send(const Frame& frame) {
    Outcome<> written = write_frame(to_ + std::to_string(sent_), frame);
    if (written) ++sent_;
    return written;
  }
  std::optional<Frame> take(size_t most) {
    std::optional<Frame> frame = take_frame(from_ + std::to_string(taken_), most);
    if (frame) ++taken_;
    return frame;
  }
  /// All that has come, and the end where there is one.
  void take_all(bool asks, std::vector<Arrival>& arrivals) {
    const bool gone = asks && !is_there();  // before the last look at what it wrote
    while (!left_) {
      std::optional<Frame> frame = take(kMostOfFrame);
      if (!frame && !gone) return;
      left_ = !frame || frame->kind == 0;
      const char* const why = frame ? "has written a file that is no frame" : "has ended without a word";
      arrivals.push_back(left_ ? Arrival{rank_, std::nullopt, why} : Arrival{rank_, std::move(frame), ""});
    }
  }

 private:
  size_t rank_;
  std::string to_, from_, present_;
  size_t sent_ = 0, taken_ = 0;
  bool left_ = false;
};

class FileStore : public Store {
 public:
  FileStore(std::string folder, Identity identity) : folder_(std::move(folder)), identity_(std::move(identity)) {}

  bool has_unsent() const override { return false; }
  void release() override { own_.release(); }

 protected:
  std::vector<Arrival> attend(std::span<const int> also, double seconds) override {
    const TimeLeft left(seconds);
    std::vector<Arrival> arrivals;
    for (;;) {
      look(arrivals);
      if (!arrivals.empty() || wait_a_moment(also, left.seconds()) || left.is_over()) return arrivals;
    }
  }

  virtual void look(std::vector<Arrival>& arrivals) = 0;
  bool is_time_to_count() {
    if (!until_count_.is_over()) return false;
    until_count_ = TimeLeft(kBetweenCounts);
    return true;
  }
  bool be_present() { return own_.take(folder_ + "/present." + std::to_string(identity_.rank)); }

  std::string folder_;
  Identity identity_;
  Presence own_{};

 private:
  TimeLeft until_count_{0};
};

class FileHost final : public FileStore {
 public:
  using FileStore::FileStore;
  ~FileHost() override {
    if (opened_) remove_all();
  }

  Outcome<> open() {
    std::error_code error;
    if (!std::filesystem::is_directory(folder_, error)) {
      return failed("there is no such folder; expected one that all ranks see");
    }
    if (!be_present()) return failed("another job has this folder, or it cannot be written; expected one of its own");
    remove_all();
    opened_ = true;
    return write_frame(folder_ + "/store", Frame{kKnown, {}});
  }

  Outcome<> send(size_t rank, const Frame& frame) override {
    Peer& peer = peers_.at(rank - 1);
    if (peer.has_left()) return {};  // which has been an arrival
    return peer.send(frame);
  }
  std::string strangers() const override { return noted_; }
  void release() override {
    opened_ = false;
    FileStore::release();
  }

 private:
  tl::unexpected<Failure> failed(const std::string& why) const {
    return tl::unexpected(Failure{Failure::Kind::failed, "the store at file://" + folder_ + ": " + why});
  }

  void look(std::vector<Arrival>& arrivals) override {
    const bool counts = is_time_to_count();
    for (size_t rank = peers_.size() + 1; rank < identity_.ranks; ++rank) {
      peers_.emplace_back(folder_, rank, true, rank);
    }
    for (Peer& peer : peers_) {
      if (known_.count(peer.rank()) == 1) {
        peer.take_all(counts, arrivals);
      } else if (const std::optional<Frame> hello = peer.take(kMostOfStranger)) {
        meet(peer, *hello);
      }
    }
  }

  void meet(Peer& peer, const Frame& hello) {
    const tl::expected<size_t, std::string> rank = admit(hello, identity_, known_);
    const bool good = rank && *rank == peer.rank();
    const std::string why = rank ? "a rank under the name of another" : rank.error();
    if (good) known_.insert(*rank);
    if (!good) noted_ += (noted_.empty() ? "" : ", ") + why + " as rank " + std::to_string(peer.rank());
    const Outcome<> sent = peer.send(good ? Frame{kKnown, {}} : FrameWriter(kRefused).put_text(why).frame());
    if (!sent) noted_ += (noted_.empty() ? "" : ", ") + sent.error().message;
  }

  /// Nothing but what stores write.
  void remove_all() const {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
      const std::string name = entry.path().filename().string();
      const auto begins = [&](const char* text) { return name.rfind(text, 0) == 0; };
      if (name == "store" || name == "store.tmp" || begins("up.") || begins("down.") || begins("present.")) {
        if (!opened_ && name == "present.0") continue;  // ours, just now
        std::filesystem::remove(entry.path(), error);
      }
    }
  }

  std::vector<Peer> peers_{};
  std::set<size_t> known_{};
  std::string noted_{};
  bool opened_ = false;
};

class FileMember final : public FileStore {
 public:
  FileMember(const std::string& folder, const Identity& identity)
      : FileStore(folder, identity), host_(folder, identity.rank, false, 0) {}

  /// Waits for rank 0 and is known to it.
  Outcome<> open(const StoreAddress& address, double seconds) {
    const TimeLeft left(seconds);
    while (access((folder_ + "/store").c_str(), F_OK) != 0 || !host_.is_there()) {
      if (left.is_over()) {
        return tl::unexpected(Failure{Failure::Kind::timed_out, no_answer(address, "found nobody in time")});
      }
      wait_a_moment({}, kBetweenLooks);
    }
    if (!be_present()) {
      return tl::unexpected(Failure{Failure::Kind::failed, no_answer(address, "is there twice, or cannot write")});
    }
    if (Outcome<> sent = host_.send(hello_of(identity_)); !sent) return sent;
    const std::optional<Arrival> answer = next({}, left.seconds());
    if (!answer) {
      return tl::unexpected(Failure{Failure::Kind::timed_out, no_answer(address, "had no answer in time")});
    }
    const std::optional<std::string> refused =
        answer->frame ? refusal(*answer->frame) : "had no answer before rank 0 ended";
    if (!refused) return {};
    return tl::unexpected(Failure{Failure::Kind::failed, no_answer(address, *refused)});
  }

  Outcome<> send(size_t, const Frame& frame) override { return host_.send(frame); }

 private:
  void look(std::vector<Arrival>& arrivals) override { host_.take_all(is_time_to_count(), arrivals); }
  Peer host_;
};

}  // namespace

Outcome<std::unique_ptr<Store>> open_in_folder(const StoreAddress& address, const Identity& identity, double seconds) {
  if (identity.rank == 0) {
    auto host = std::make_unique<FileHost>(address.folder, identity);
    if (const Outcome<> opened = host->open(); !opened) return tl::unexpected(opened.error());
    return host;
  }
  auto member = std::make_unique<FileMember>(address.folder, identity);
  if (const Outcome<> opened = member->open(address, seconds); !opened) return tl::unexpected(opened.error());
  return member;
}

}  // namespace isoshard::exec
