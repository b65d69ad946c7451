#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace standin {

struct Group;  // ops.h
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
/// How that happens.
struct Runnable {
  int stream = 0;
  std::string what;
  std::function<void()> run;
};

/// `rank 2 stream 1`.
std::string place_of(int rank, int stream);

}  // namespace standin
