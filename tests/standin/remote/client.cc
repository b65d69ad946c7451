// The side of the caller. Each thread has a connection of its own, behind which a thread of the other process stands
// for it, so that what depends on the calling thread (its device, its open group) does there, too. It is made with the
// first call, also in a process that was forked meanwhile, whose threads begin with copies of those of their parent.
// Cost: two switches between processes a call, some 10 µs.
#include "tests/standin/remote/client.h"

#include <unistd.h>

namespace standin {
namespace {

struct Devices {
  bool elsewhere = false;
  int times = 0;  ///< that they were moved
  Channel door;
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
  auto [ours, theirs] = connected_channels();
  own = Connection{getpid(), devices().times, std::move(ours)};
  if (!theirs.is_open() || !devices().door.send_channel(theirs)) own.channel = Channel();
  return own.channel;
}

}  // namespace

bool is_client() { return devices().elsewhere; }

void become_client(Channel door) {
  devices().door = std::move(door);
  devices().elsewhere = true;
  ++devices().times;
}

void be_no_client() {
  devices().elsewhere = false;
  devices().door = Channel();
}

bool exchange(const Writer& call, std::vector<std::byte>* answer) {
  const Channel& channel = connection();
  if (!channel.is_open() || !channel.send(call.bytes())) return false;
  return answer == nullptr || channel.receive(*answer);
}

void set_patience(int seconds) { connection().set_patience(seconds); }

}  // namespace standin
