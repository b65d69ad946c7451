#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/standin/communication.h"
#include "tests/standin/node.h"
#include "tests/standin/standin.h"

namespace standin {

using Lock = std::unique_lock<std::mutex>;

/// How a wait ended: what it waited for came, or a query has waited long enough, or it can never come.
enum class Wake : uint8_t { done, not_yet, failed };

/// All state of the stand-in outside of threads, and the scheduler. Whoever calls holds `mutex`.
class Machine {
 public:
  static Machine& get();

  void reset(const Options& options);
  const Options& options() const { return options_; }
  int64_t generation() const { return generation_; }
  void use(Communication& communication) { communication_ = &communication; }

  /// The calling thread is the rank of a device, or is none any more.
  void arrive(int rank);
  void depart() { depart(std::this_thread::get_id()); }
  bool is_rank() const { return ranks_.count(std::this_thread::get_id()) == 1; }
  /// The rank of a device, which the calling thread is, is gone, with all its work.
  void stop(int rank) { stop(rank, std::this_thread::get_id()); }
  /// The process that a thread stands for has ended, and with it the work of its device: a rank that others may wait
  /// for is gone, another one departs.
  void lose(std::thread::id thread);
  /// Does something under the mutex, also where steps without an end keep it; no step runs meanwhile.
  template <class Act>
  void interrupt(const Act& act) {
    ++interrupting_;
    const Lock lock(mutex);
    act();
    --interrupting_;
    nudge();
  }
  bool is_gone(int rank) const { return gone_.count(rank) == 1; }
  bool any_gone() const { return !gone_.empty(); }
  /// The kernel that runs failed: its rank's calls of CUDA do from here on.
  void fail_kernel(const std::string& what);
  bool has_failed_kernel(int rank) const { return failed_kernels_.count(rank) == 1; }
  /// A call was made to fail, which explains that others wait in vain.
  void note_failed_call() { call_failed_ = true; }
  int present() const { return static_cast<int>(ranks_.size()); }
  int departed() const { return departed_; }

  /// Issues a node behind others, and gives it a number.
  void add(const NodeRef& node, const Nodes& before);
  /// The node is done; those behind it may begin.
  void finish(Node& node);
  void make_runnable(Key key, Runnable what) { runnable_.emplace(key, std::move(what)); }
  /// This does not run any more.
  void remove(const Key& key) { runnable_.erase(key); }
  int64_t steps() const { return steps_; }

  /// Waits until `done` holds, which only calls of ranks and steps change.
  Wake wait(Lock& lock, const std::function<bool()>& done) { return wait(lock, done, false); }
  /// The same, at most for a step.
  Wake query(Lock& lock, const std::function<bool()>& done) { return wait(lock, done, true); }
  /// After any change of what waiters wait for: wakes those that can go on, or runs steps until one can.
  void changed();

  void problem(const std::string& text);
  /// Adds a line to the trace.
  void note_step(const std::string& line) { trace_.push_back(line); }
  const std::vector<std::string>& problems() const { return problems_; }
  const std::vector<std::string>& trace() const { return trace_; }
  uint64_t seed() const { return options_.seed; }

  std::mutex mutex;

 private:
  struct Waiter {
    Waiter(const std::function<bool()>& until, bool asks) : done(until), query(asks) {}
    const std::function<bool()>& done;
    bool query;
    std::thread::id thread = std::this_thread::get_id();
    bool released = false;
    bool nudged = false;  ///< it is to run the next steps
    Wake wake = Wake::done;
    std::condition_variable changed;
  };

  Wake wait(Lock& lock, const std::function<bool()>& done, bool query);
  void depart(std::thread::id thread);
  void drop_runnable(int rank);
  void stop(int rank, std::thread::id thread);
  /// The calling rank is not absent any more.
  void come_back() { absent_.erase(std::this_thread::get_id()); }
  bool all_wait() const { return ranks_.size() == waiting_.size() + absent_.size(); }
  void go_on_without_absent();
  void advance();
  /// Has a thread that waits run the next steps.
  void nudge();
  void release(Waiter& waiter, Wake wake);
  bool release_ready();
  bool release_queries(Wake wake);
  void step();
  std::map<Key, Runnable>::iterator choose();
  uint64_t priority(const Key& key, const Runnable& what) const;
  void stuck();
  void report_stuck();
  void start(const NodeRef& node);

  Options options_;
  int64_t generation_ = 0;
  Communication* communication_ = nullptr;
  int arrived_ = 0, departed_ = 0;
  std::map<std::thread::id, int> ranks_;  ///< with their devices
  std::set<std::thread::id> waiting_;     ///< of ranks_: in a call that waits
  std::set<std::thread::id> absent_;      ///< of ranks_: made no call while others have waited for long
  std::set<int> gone_;
  std::set<int> lost_;                ///< ranks whose process has ended
  std::atomic<int> interrupting_{0};  ///< who is, or waits, in interrupt()
  std::set<int> failed_kernels_;      ///< ranks
  std::map<int, int64_t> issued_;
  std::map<Key, Runnable> runnable_;
  std::list<Waiter*> waiters_;
  std::mt19937_64 random_;
  int last_rank_ = -1;
  int64_t steps_ = 0;
  int64_t changes_ = 0, seen_ = 0;  ///< of all, and when queries last found nothing that could run
  int fruitless_ = 0;               ///< rounds of queries since then
  int64_t deadlocked_ = -1;         ///< changes when a deadlock was found
  bool reported_ = false;
  bool call_failed_ = false;
  std::vector<std::string> problems_, trace_;
};

}  // namespace standin
