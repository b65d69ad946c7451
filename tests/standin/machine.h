#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "tests/standin/standin.h"

namespace standin {

using Lock = std::unique_lock<std::mutex>;

struct Group;  // nccl_groups.h
struct Node;
using NodeRef = std::shared_ptr<Node>;

/// A piece of work: a copy, a kernel, or a group of communication. It begins when all that it was issued behind is
/// done.
struct Node {
  int rank = 0;
  int stream = 0;
  int64_t number = 0;  ///< among all that the rank issued
  std::string what;
  std::function<void()> run;     ///< unless it is a group
  std::shared_ptr<Group> group;  ///< what it sends and receives, or null
  size_t pending = 0;            ///< how many of those before it are not done
  std::vector<NodeRef> next;
  bool done = false;
  int64_t finished = 0;  ///< steps of the scheduler when it was
};
using Nodes = std::vector<NodeRef>;

/// What may run next: by rank, number of its node, part of that.
struct Key {
  int rank = 0;
  int64_t number = 0;
  size_t part = 0;
  auto operator<=>(const Key&) const = default;
};
struct Runnable {
  int stream = 0;
  std::string what;
  std::function<void()> run;
};

/// How a wait ended: what it waited for came, or a query has waited long enough, or it can never come.
enum class Wake : uint8_t { done, not_yet, failed };

/// All state of the stand-in outside of threads, and the scheduler. Whoever calls holds `mutex`.
class Machine {
 public:
  static Machine& get();

  void reset(const Options& options);
  const Options& options() const { return options_; }
  int64_t generation() const { return generation_; }

  void arrive();
  void depart();
  int present() const { return present_; }
  int departed() const { return departed_; }

  /// Issues a node behind others, and gives it a number.
  void add(const NodeRef& node, const Nodes& before);
  /// The node is done; those behind it may begin.
  void finish(Node& node);
  void make_runnable(Key key, Runnable what) { runnable_.emplace(key, std::move(what)); }
  /// Nothing of a rank, or of these keys, runs any more.
  void remove_rank(int rank);
  void remove(const Key& key) { runnable_.erase(key); }
  int64_t steps() const { return steps_; }

  /// Waits until `done` holds, which only calls of ranks and steps change.
  Wake wait(Lock& lock, const std::function<bool()>& done) { return wait(lock, done, false); }
  /// The same, at most for a step.
  Wake query(Lock& lock, const std::function<bool()>& done) { return wait(lock, done, true); }
  /// After any change of what waiters wait for: wakes those that can go on, or runs steps until one can.
  void changed();

  void problem(const std::string& text);
  const std::vector<std::string>& problems() const { return problems_; }
  const std::vector<std::string>& trace() const { return trace_; }
  uint64_t seed() const { return options_.seed; }

  std::mutex mutex;

 private:
  struct Waiter {
    Waiter(const std::function<bool()>& until, bool asks, bool of_rank) : done(until), query(asks), counted(of_rank) {}
    const std::function<bool()>& done;
    bool query;
    bool counted;  ///< of a rank
    bool released = false;
    Wake wake = Wake::done;
    std::condition_variable changed;
  };

  Wake wait(Lock& lock, const std::function<bool()>& done, bool query);
  void advance();
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
  int arrived_ = 0, departed_ = 0, present_ = 0, running_ = 0;
  std::map<int, int64_t> issued_;
  std::map<Key, Runnable> runnable_;
  std::list<Waiter*> waiters_;
  std::mt19937_64 random_;
  int last_rank_ = -1;
  int64_t steps_ = 0;
  int64_t changes_ = 0, seen_ = 0;  ///< of all, and when queries last found nothing that could run
  int fruitless_ = 0;               ///< rounds of queries since then
  bool reported_ = false;
  std::vector<std::string> problems_, trace_;
};

/// `rank 2 stream 1`.
std::string place_of(int rank, int stream);

}  // namespace standin
