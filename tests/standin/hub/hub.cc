// The process of the devices: what a driver and the GPUs are to programs. All state of the stand-in is here, with its
// one scheduler, and a thread here stands for each thread of a rank: it makes the calls that come over its connection.
// So ranks that are processes have the orders, the matching and the messages that ranks that are threads have, from the
// same sources, and a seed draws the same. Such a thread may wait inside of a call for long, so that the end of its
// process is seen by the one that also takes new connections. Cost: a thread for each of a rank.
#include "tests/standin/hub/hub.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "tests/standin/caller.h"
#include "tests/standin/machine.h"
#include "tests/standin/remote/client.h"
#include "tests/standin/remote/message.h"

namespace standin {
namespace {

/// The other end of a connection.
struct Caller {
  explicit Caller(Channel connection) : channel(std::move(connection)) {}
  Channel channel;
  std::atomic<bool> dismissed{false};
};

/// A caller, and the thread that makes its calls, which stays until that is dismissed: so its id is no other's.
struct Served {
  std::shared_ptr<Caller> caller;
  std::thread::id thread;
};

pid_t process_behind(const Channel& channel) {
  ucred other{};
  socklen_t size = sizeof other;
  return getsockopt(channel.descriptor(), SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 ? other.pid : 0;
}

void lose(std::thread::id thread) {
  Machine::get().interrupt([&] { Machine::get().lose(thread); });
}

void serve(Caller& caller) {
  stand_for(process_behind(caller.channel));
  std::vector<std::byte> message;
  while (caller.channel.receive(message)) {
    Reader in(message);
    const auto make = in.take<isoshard::exec::InLibrary<MakeCall>>();
    const auto answers = in.take<bool>();
    Writer out;
    make.get()(in, out);
    if (answers && !caller.channel.send(out.bytes())) break;
  }
  lose(std::this_thread::get_id());
  caller.dismissed.wait(false);
}

Served served(Channel connection) {
  Served made{std::make_shared<Caller>(std::move(connection)), {}};
  std::thread thread([caller = made.caller] { serve(*caller); });
  made.thread = thread.get_id();
  thread.detach();
  return made;
}

/// Waits for a word at a door, or the end of a process.
std::vector<pollfd> changes(const Channel& door, const Channel& path, const std::vector<Served>& all) {
  std::vector<pollfd> polled{{door.descriptor(), POLLIN, 0}, {path.descriptor(), POLLIN, 0}};
  for (const Served& one : all) polled.push_back({one.caller->channel.descriptor(), POLLRDHUP, 0});
  while (poll(polled.data(), polled.size(), -1) < 0 && errno == EINTR) {
  }
  return polled;
}

}  // namespace

void be_devices(Channel door) {
  std::vector<Served> all;
  Channel path;  // for processes that are not forked from the one that made the door
  for (;;) {
    const std::vector<pollfd> polled = changes(door, path, all);
    std::vector<Served> left;
    for (size_t i = 0; i < all.size(); ++i) {
      if (polled[i + 2].revents == 0) {
        left.push_back(std::move(all[i]));
      } else {
        lose(all[i].thread);
        all[i].caller->dismissed = true;
        all[i].caller->dismissed.notify_one();
      }
    }
    all = std::move(left);
    if (polled[1].revents != 0) {
      Channel connection = path.accept();
      if (connection.is_open()) all.push_back(served(std::move(connection)));
    }
    if (polled[0].revents == 0) continue;
    Channel connection = door.receive_channel();
    if (!connection.is_open()) _exit(0);
    if (connection.is_listener()) {
      path = std::move(connection);
    } else {
      all.push_back(served(std::move(connection)));
    }
  }
}

}  // namespace standin
