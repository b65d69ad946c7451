#include <poll.h>

#include <iterator>
#include <utility>

#include "exec/store/file_store.h"
#include "exec/store/store.h"
#include "exec/store/tcp_stores.h"
#include "exec/store/time_left.h"

namespace isoshard::exec {

namespace {

bool can_be_read(std::span<const int> descriptors) {
  std::vector<pollfd> polled;
  for (const int descriptor : descriptors) polled.push_back({descriptor, POLLIN, 0});
  return poll(polled.data(), polled.size(), 0) > 0;
}

}  // namespace

std::optional<Arrival> Store::next(std::span<const int> also, double seconds) {
  const TimeLeft left(seconds);
  do {
    if (waiting_.empty()) {
      std::vector<Arrival> come = attend(also, left.seconds());
      std::move(come.begin(), come.end(), std::back_inserter(waiting_));
    }
    if (waiting_.empty()) continue;
    Arrival first = std::move(waiting_.front());
    waiting_.pop_front();
    return first;
  } while (!left.is_over() && !can_be_read(also));
  return std::nullopt;
}

Outcome<std::unique_ptr<Store>> open_store(const StoreAddress& address, const Identity& identity, double seconds) {
  if (address.host.empty()) return open_in_folder(address, identity, seconds);
  return identity.rank == 0 ? host_at_port(address, identity) : join_at_port(address, identity, seconds);
}

}  // namespace isoshard::exec
