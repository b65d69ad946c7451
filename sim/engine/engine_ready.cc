// The devices that can go on, shared by all workers. Workers spin for at most 50 us before they sleep, since most waits
// of a run are shorter than a wake by the system; what they spin on is one flag, not the queue's mutex. With a seed the
// order is drawn, device by device, so that every legal interleaving has a chance; otherwise it is first in, first out.
// A worker that would wait takes parts of a large operation of another one first (split_product.cc); devices go before.
// Cost: one lock per push and pop, two for each worker that helps.
#include "sim/engine/engine_ready.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace isoshard::sim {

void ReadyQueue::push(std::span<const int64_t> positions) {
  if (positions.empty()) return;
  size_t wake = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    devices_.insert(devices_.end(), positions.begin(), positions.end());
    attention_.store(true, std::memory_order_relaxed);
    wake = sleeping_;
  }
  if (wake == 0) return;
  if (positions.size() == 1) {
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

bool ReadyQueue::pick(ReadyDevice& device) {
  if (devices_.empty()) return false;
  if (random_) {
    std::swap(devices_.front(), devices_[static_cast<size_t>(draw() % devices_.size())]);
    device.draw = draw();
    device.is_drawn = true;
  }
  device.position = devices_.front();
  devices_.pop_front();
  if (devices_.empty()) set_attention();
  return true;
}

void ReadyQueue::set_attention() {
  attention_.store(stopped_ || !devices_.empty() || open_work() != nullptr, std::memory_order_relaxed);
}

SharedWork* ReadyQueue::open_work() const {
  const auto found =
      std::find_if(shared_.begin(), shared_.end(), [](const SharedWork* work) { return work->is_open(); });
  return found == shared_.end() ? nullptr : *found;
}

void ReadyQueue::help(std::unique_lock<std::mutex>& lock, SharedWork& work) {
  ++work.helping;
  lock.unlock();
  const std::exception_ptr failure = work.work();
  lock.lock();
  if (failure) work.failure = failure;
  set_attention();
  if (--work.helping == 0) helped_.notify_all();
}

void ReadyQueue::share(int64_t count, const std::function<void(int64_t)>& part) {
  SharedWork work(count, part);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    shared_.push_back(&work);
    attention_.store(true, std::memory_order_relaxed);
  }
  changed_.notify_all();
  const std::exception_ptr failure = work.work();
  std::unique_lock<std::mutex> lock(mutex_);
  std::erase(shared_, &work);
  set_attention();
  helped_.wait(lock, [&] { return work.helping == 0; });
  if (failure) std::rethrow_exception(failure);
  if (work.failure) std::rethrow_exception(work.failure);
}

void ReadyQueue::spin() const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
  while (!attention_.load(std::memory_order_relaxed) && std::chrono::steady_clock::now() < end) {
  }
}

bool ReadyQueue::pop(ReadyDevice& device) {
  while (true) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (stopped_) return false;
      if (pick(device)) return true;
      if (SharedWork* const work = open_work()) {
        help(lock, *work);
        continue;
      }
    }
    spin();
    std::unique_lock<std::mutex> lock(mutex_);
    ++sleeping_;
    changed_.wait(lock, [this] { return stopped_ || !devices_.empty() || open_work() != nullptr; });
    --sleeping_;
  }
}

void ReadyQueue::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    attention_.store(true, std::memory_order_relaxed);
  }
  changed_.notify_all();
}

}  // namespace isoshard::sim
