// The side of the caller. Each thread has a connection of its own, behind which a thread of the other process stands
// for it, so that what depends on the calling thread (its device, its open group) does there, too. It is made with the
// first call, also in a process that was forked meanwhile, whose threads begin with copies of those of their parent. A
// process that is forked from another one comes to a path of the file system in place of an inherited socket.
// Cost: two switches between processes a call, some 10 µs.
#include "tests/standin/remote/client.h"

#include <unistd.h>

#include <utility>

namespace standin {
namespace {

struct Devices {
  bool elsewhere = false;
  int times = 0;  ///< that they were moved
  Channel door;
  std::string place{};  ///< of the door of others; empty: `door` is inherited
};

Devices& devices() {
  static auto* made = new Devices;  // threads that end after main() still use it
  return *made;
}

struct Connection {
  pid_t process = 0;
  int times = 0;
  Channel channel;
};

const Channel& connection() {
  thread_local Connection own;
  if (own.process == getpid() && own.times == devices().times) return own.channel;
  if (!devices().place.empty()) {
    own = Connection{getpid(), devices().times, connected_to(devices().place)};
    return own.channel;
  }
  auto [ours, theirs] = connected_channels();
  own = Connection{getpid(), devices().times, std::move(ours)};
  if (!theirs.is_open() || !devices().door.send_channel(theirs)) own.channel = Channel();
  return own.channel;
}

}  // namespace

bool is_client() { return devices().elsewhere; }

void become_client(Channel door) {
  devices().place.clear();
  devices().door = std::move(door);
  devices().elsewhere = true;
  ++devices().times;
}

void become_client(const std::string& path) {
  become_client(Channel());
  devices().place = path;
}

bool open_door(const std::string& path) {
  const Channel listener = listener_at(path);
  return listener.is_open() && devices().door.send_channel(listener);
}

void be_no_client() {
  devices().elsewhere = false;
  devices().place.clear();
  devices().door = Channel();
}

bool exchange(const Writer& call, std::vector<std::byte>* answer) {
  const Channel& channel = connection();
  if (!channel.is_open() || !channel.send(call.bytes())) return false;
  return answer == nullptr || channel.receive(*answer);
}

void set_patience(int seconds) { connection().set_patience(seconds); }

}  // namespace standin
