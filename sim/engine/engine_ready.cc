// The devices that can go on. Each worker has a lane of its own, for devices that are next to each other, since those
// that meet most often are neighbours: so workers seldom touch what another one has just written, which costs more than
// a small instruction. A worker whose lane is empty takes half of another's. It spins for at most 50 us before it
// sleeps, since most waits of a run are shorter than a wake by the system. Who pushes looks for sleepers after it has
// counted its devices, and who goes to sleep counts itself before it looks for devices: one of them sees the other.
// With a seed the order is drawn, device by device, so that every legal interleaving has a chance; then there is one
// lane. A worker that would wait takes parts of a large operation of another one first (split_product.cc); devices go
// before. Cost: one lock per push and pop, which nobody else holds as a rule, two for each worker that helps.
#include "sim/engine/engine_ready.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace isoshard::sim {

ReadyQueue::ReadyQueue(size_t workers, int64_t devices, std::optional<uint64_t> seed)
    : random_(seed.has_value()),
      state_(seed.value_or(0)),
      devices_(static_cast<size_t>(devices)),
      lanes_(random_ ? 1 : workers) {}

void ReadyQueue::push(std::span<const int64_t> positions) {
  for (size_t first = 0, end = 0; first < positions.size(); first = end) {
    const size_t at = lane_of(positions[first]);
    end = lanes_.size() == 1 ? positions.size() : first + 1;
    while (end < positions.size() && lane_of(positions[end]) == at) ++end;
    Lane& lane = lanes_[at];
    const std::lock_guard<std::mutex> lock(lane.mutex);
    lane.devices.insert(lane.devices.end(), positions.begin() + static_cast<std::ptrdiff_t>(first),
                        positions.begin() + static_cast<std::ptrdiff_t>(end));
    lane.size = lane.devices.size();
  }
  if (!positions.empty()) wake(positions.size());
}

void ReadyQueue::wake(size_t devices) {
  if (sleeping_ == 0) return;
  { const std::lock_guard<std::mutex> lock(mutex_); }  // who is about to sleep does
  if (devices == 1) {
    changed_.notify_one();
  } else {
    changed_.notify_all();
  }
}

/// splitmix64
uint64_t ReadyQueue::draw() {
  state_ += 0x9e3779b97f4a7c15ULL;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

bool ReadyQueue::take(Lane& lane, ReadyDevice& device) {
  if (lane.size == 0) return false;
  const std::lock_guard<std::mutex> lock(lane.mutex);
  std::deque<int64_t>& devices = lane.devices;
  if (devices.empty()) return false;
  if (random_) {
    std::swap(devices.front(), devices[static_cast<size_t>(draw() % devices.size())]);
    device.draw = draw();
    device.is_drawn = true;
  }
  device.position = devices.front();
  devices.pop_front();
  lane.size.store(devices.size(), std::memory_order_relaxed);  // nobody is to be woken
  return true;
}

/// The first half of what another lane has: what would have to wait there for the rest goes on sooner.
bool ReadyQueue::steal(size_t thief, ReadyDevice& device) {
  std::vector<int64_t> taken;
  for (size_t i = 1; i < lanes_.size() && taken.empty(); ++i) {
    Lane& victim = lanes_[(thief + i) % lanes_.size()];
    if (victim.size == 0) continue;
    const std::lock_guard<std::mutex> lock(victim.mutex);
    const auto half = static_cast<std::ptrdiff_t>((victim.devices.size() + 1) / 2);
    taken.assign(victim.devices.begin(), victim.devices.begin() + half);
    victim.devices.erase(victim.devices.begin(), victim.devices.begin() + half);
    victim.size = victim.devices.size();
  }
  if (taken.empty()) return false;
  device.position = taken[0];
  Lane& own = lanes_[thief];
  const std::lock_guard<std::mutex> lock(own.mutex);
  own.devices.insert(own.devices.end(), taken.begin() + 1, taken.end());
  own.size = own.devices.size();
  return true;
}

bool ReadyQueue::has_device() const {
  return std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.size > 0; });
}

SharedWork* ReadyQueue::open_work() const {
  const auto found =
      std::find_if(shared_.begin(), shared_.end(), [](const SharedWork* work) { return work->is_open(); });
  return found == shared_.end() ? nullptr : *found;
}

/// False where there is nothing to help with.
bool ReadyQueue::help() {
  if (!sharing_) return false;
  std::unique_lock<std::mutex> lock(mutex_);
  SharedWork* const work = open_work();
  if (work == nullptr) {
    sharing_ = false;
    return false;
  }
  ++work->helping;
  lock.unlock();
  const std::exception_ptr failure = work->work();
  lock.lock();
  if (failure) work->failure = failure;
  sharing_ = open_work() != nullptr;
  if (--work->helping == 0) helped_.notify_all();
  return true;
}

void ReadyQueue::share(int64_t count, const std::function<void(int64_t)>& part) {
  SharedWork work(count, part);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    shared_.push_back(&work);
    sharing_ = true;
  }
  changed_.notify_all();
  const std::exception_ptr failure = work.work();
  std::unique_lock<std::mutex> lock(mutex_);
  std::erase(shared_, &work);
  sharing_ = open_work() != nullptr;
  helped_.wait(lock, [&] { return work.helping == 0; });
  if (failure) std::rethrow_exception(failure);
  if (work.failure) std::rethrow_exception(work.failure);
}

void ReadyQueue::spin() const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
  while (!has_something() && std::chrono::steady_clock::now() < end) {
  }
}

bool ReadyQueue::pop(size_t worker, ReadyDevice& device) {
  while (!stopped_) {
    if (take(lanes_[worker % lanes_.size()], device) || steal(worker, device)) return true;
    if (help()) continue;
    spin();
    if (has_something()) continue;
    std::unique_lock<std::mutex> lock(mutex_);
    ++sleeping_;
    changed_.wait(lock, [this] { return stopped_ || open_work() != nullptr || has_device(); });
    --sleeping_;
  }
  return false;
}

void ReadyQueue::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

}  // namespace isoshard::sim
