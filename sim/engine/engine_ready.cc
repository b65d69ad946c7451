// The devices that can go on, shared by all workers. Workers spin for at most 50 us before they sleep, since most waits
// of a run are shorter than a wake by the system; what they spin on is one flag, not the queue's mutex. With a seed the
// order is drawn, device by device, so that every legal interleaving has a chance; otherwise it is first in, first out.
// Cost: one lock per push and pop.
#include "sim/engine/engine_ready.h"

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

std::optional<ReadyDevice> ReadyQueue::pick() {
  if (devices_.empty()) return std::nullopt;
  ReadyDevice result;
  if (random_) {
    std::swap(devices_.front(), devices_[static_cast<size_t>(draw() % devices_.size())]);
    result.draw = draw();
  }
  result.position = devices_.front();
  devices_.pop_front();
  if (devices_.empty() && !stopped_) attention_.store(false, std::memory_order_relaxed);
  return result;
}

void ReadyQueue::spin() const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
  while (!attention_.load(std::memory_order_relaxed) && std::chrono::steady_clock::now() < end) {
  }
}

std::optional<ReadyDevice> ReadyQueue::pop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopped_) return std::nullopt;
    if (const std::optional<ReadyDevice> device = pick()) return device;
  }
  spin();
  std::unique_lock<std::mutex> lock(mutex_);
  ++sleeping_;
  changed_.wait(lock, [this] { return stopped_ || !devices_.empty(); });
  --sleeping_;
  if (stopped_) return std::nullopt;
  return pick();
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
