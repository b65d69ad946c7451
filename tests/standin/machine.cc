// The scheduler of the stand-in.
//
// Everything that was issued is a node of a graph whose arrows are CUDA's order: behind the last of its stream, and
// behind what an event was recorded behind. A node without unfinished ones before it may run; of communication, what
// may run is a collective or a message that all its members have come to (nccl_matching.cc). What may run is kept
// sorted by rank and number of issue, so it does not depend on how the host's threads took turns: one is drawn only
// when all ranks wait, by whichever thread began to wait last, under the one mutex. So the same program and seed give
// the same trace, and ThreadSanitizer sees no more order than the mutex makes at calls.
// A step costs a draw and a look at each waiting rank: microseconds.
#include "tests/standin/machine.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace standin {
namespace {

Options options_of_environment() {
  Options options;
  if (const char* seed = std::getenv("STANDIN_SEED")) options.seed = std::strtoull(seed, nullptr, 10);
  if (const char* devices = std::getenv("STANDIN_DEVICES")) options.devices = std::atoi(devices);
  if (const char* bytes = std::getenv("STANDIN_BYTES")) options.device_bytes = std::atoll(bytes);
  if (const char* patience = std::getenv("STANDIN_QUERY_MS")) options.query_ms = std::max(1, std::atoi(patience));
  return options;
}

uint64_t mixed(uint64_t x) {  // the finalizer of SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace

std::string place_of(int rank, int stream) {
  return "rank " + std::to_string(rank) + " stream " + std::to_string(stream);
}

Machine& Machine::get() {
  static Machine* machine = [] {
    auto* made = new Machine;  // threads that end after main() still use it
    made->options_ = options_of_environment();
    made->random_.seed(made->options_.seed);
    return made;
  }();
  return *machine;
}

void Machine::reset(const Options& options) {
  options_ = options;
  ++generation_;
  arrived_ = departed_ = 0;
  ranks_.clear();
  waiting_.clear();
  absent_.clear();
  gone_.clear();
  lost_.clear();
  failed_kernels_.clear();
  issued_.clear();
  runnable_.clear();
  random_.seed(options.seed);
  last_rank_ = -1;
  steps_ = changes_ = seen_ = 0;
  fruitless_ = 0;
  deadlocked_ = -1;
  reported_ = call_failed_ = false;
  problems_.clear();
  trace_.clear();
}

void Machine::arrive(int rank) {
  come_back();
  lost_.erase(rank);
  if (!ranks_.insert_or_assign(std::this_thread::get_id(), rank).second) return;
  ++arrived_;
  ++changes_;
}

void Machine::depart(std::thread::id thread) {
  absent_.erase(thread);
  if (ranks_.erase(thread) == 0) return;
  waiting_.erase(thread);
  ++departed_;
  changed();
}

void Machine::lose(std::thread::id thread) {
  const auto found = ranks_.find(thread);
  if (found == ranks_.end()) return;
  const int rank = found->second;
  lost_.insert(rank);
  drop_runnable(rank);
  const auto own = std::find_if(waiters_.begin(), waiters_.end(), [&](auto* one) { return one->thread == thread; });
  if (own != waiters_.end()) release(**own, Wake::failed);
  const bool missed = communication_ != nullptr && communication_->is_member(rank);
  missed ? stop(rank, thread) : depart(thread);
}

void Machine::drop_runnable(int rank) {
  std::erase_if(runnable_, [&](const auto& entry) { return entry.first.rank == rank; });
}

void Machine::changed() {
  ++changes_;
  advance();
}

void Machine::add(const NodeRef& node, const Nodes& before) {
  ++changes_;
  come_back();
  node->number = issued_[node->rank]++;
  for (const NodeRef& one : before) {
    if (one->done) continue;
    one->next.push_back(node);
    ++node->pending;
  }
  if (node->pending == 0) start(node);
}

void Machine::start(const NodeRef& node) {
  if (lost_.count(node->rank) == 1) return;
  if (node->group) return communication_->post(node);
  make_runnable({node->rank, node->number, 0}, {node->stream, node->what, [this, node] {
                                                  node->run();
                                                  finish(*node);
                                                }});
}

void Machine::finish(Node& node) {
  node.done = true;
  node.finished = steps_;
  node.run = nullptr;
  const Nodes next = std::move(node.next);
  node.next.clear();
  for (const NodeRef& one : next) {
    if (--one->pending == 0) start(one);
  }
}

void Machine::stop(int rank, std::thread::id thread) {
  gone_.insert(rank);
  drop_runnable(rank);
  if (communication_ != nullptr) communication_->leave(rank);
  depart(thread);
}

void Machine::fail_kernel(const std::string& what) {
  const std::string text = "rank " + std::to_string(last_rank_) + ": " + what;
  problem(text);
  std::fprintf(stderr, "stand-in: %s\n", text.c_str());
  failed_kernels_.insert(last_rank_);
  note_failed_call();
}

Wake Machine::wait(Lock& lock, const std::function<bool()>& done, bool query) {
  come_back();
  if (done()) return Wake::done;
  Waiter waiter(done, query);
  waiters_.push_back(&waiter);
  if (is_rank()) waiting_.insert(waiter.thread);
  advance();
  const auto called = [&] { return waiter.released || waiter.nudged; };
  const std::chrono::milliseconds long_enough(options_.query_ms);
  while (!waiter.released) {
    if (waiter.changed.wait_for(lock, long_enough, called)) {
      if (std::exchange(waiter.nudged, false)) advance();
      continue;
    }
    go_on_without_absent();
    if (query && !waiter.released) release(waiter, Wake::not_yet);
  }
  return waiter.wake;
}

void Machine::nudge() {
  if (waiters_.empty()) return;
  waiters_.front()->nudged = true;
  waiters_.front()->changed.notify_one();
}

// A rank that computes on the host, or waits for others there, makes no call for long; real devices go on meanwhile.
void Machine::go_on_without_absent() {
  for (const auto& [thread, rank] : ranks_) {
    if (waiting_.count(thread) == 0) absent_.insert(thread);
  }
  advance();
}

void Machine::release(Waiter& waiter, Wake wake) {
  waiters_.remove(&waiter);
  waiter.released = true;
  waiter.wake = wake;
  waiting_.erase(waiter.thread);
  waiter.changed.notify_one();
}

bool Machine::release_ready() {
  bool any = false;
  for (auto next = waiters_.begin(); next != waiters_.end();) {
    Waiter& waiter = **next++;
    if (!waiter.done()) continue;
    release(waiter, Wake::done);
    any = true;
  }
  return any;
}

bool Machine::release_queries(Wake wake) {
  bool any = false;
  for (auto next = waiters_.begin(); next != waiters_.end();) {
    Waiter& waiter = **next++;
    if (!waiter.query) continue;
    release(waiter, wake);
    any = true;
  }
  return any;
}

void Machine::advance() {
  while (interrupting_ == 0 && !release_ready() && all_wait() && !waiters_.empty()) {
    if (arrived_ < options_.ranks) return;
    if (runnable_.empty()) return stuck();
    step();
    const bool any = release_ready();
    if (release_queries(Wake::not_yet) || any) return;
  }
}

void Machine::step() {
  const auto chosen = choose();
  last_rank_ = chosen->first.rank;
  const Runnable what = std::move(chosen->second);
  runnable_.erase(chosen);
  ++steps_;
  ++changes_;
  note_step(place_of(last_rank_, what.stream) + ": " + what.what);
  what.run();
}

std::map<Key, Runnable>::iterator Machine::choose() {
  const auto among = [&](auto begin, auto end) {
    return std::next(begin, static_cast<std::ptrdiff_t>(random_() % static_cast<size_t>(std::distance(begin, end))));
  };
  const auto younger = [](const auto& a, const auto& b) { return a.first.number < b.first.number; };
  const auto later = [&](const auto& a, const auto& b) {
    return priority(a.first, a.second) < priority(b.first, b.second);
  };
  switch (options_.order) {
    case Order::any:
      break;
    case Order::last_issued_first:
      return std::max_element(runnable_.begin(), runnable_.end(), younger);
    case Order::priorities:
      return std::max_element(runnable_.begin(), runnable_.end(), later);
    case Order::one_rank: {
      const auto begin = runnable_.lower_bound({last_rank_, 0, 0}), end = runnable_.lower_bound({last_rank_ + 1, 0, 0});
      if (begin != end) return among(begin, end);
      break;
    }
  }
  return among(runnable_.begin(), runnable_.end());
}

uint64_t Machine::priority(const Key& key, const Runnable& what) const {
  return mixed(mixed(options_.seed) + static_cast<uint64_t>(key.rank) * 64 + static_cast<uint64_t>(what.stream));
}

// Whoever asks whether something is done may go on to issue what others wait for. So it takes many rounds of questions
// without any change in between until a deadlock is one.
void Machine::stuck() {
  constexpr int kRounds = 64;
  if (communication_ != nullptr && communication_->ranks_to_come()) return;
  if (!absent_.empty()) {  // they may still issue what others wait for
    release_queries(Wake::not_yet);
    return;
  }
  if (seen_ != changes_) fruitless_ = 0;
  seen_ = changes_;
  if (deadlocked_ != changes_ && ++fruitless_ < kRounds && release_queries(Wake::not_yet)) return;
  deadlocked_ = changes_;
  report_stuck();
  const bool mismatch = communication_ != nullptr && communication_->any_mismatch();
  if (options_.hang_on_deadlock || (options_.hang_on_mismatch && mismatch)) {
    release_queries(Wake::not_yet);
    return;
  }
  if (communication_ != nullptr) communication_->fail_waiting();
  while (!waiters_.empty()) release(*waiters_.front(), Wake::failed);
}

void Machine::report_stuck() {
  if (reported_ || communication_ == nullptr) return;
  communication_->check_unmatched();
  if (communication_->any_mismatch() || any_gone() || call_failed_) return;
  for (const std::string& one : communication_->waiting()) {
    problem(one);
    reported_ = true;
  }
}

void Machine::problem(const std::string& text) { problems_.push_back(text); }

}  // namespace standin
