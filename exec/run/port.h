#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace isoshard::exec {

/// What a caller and a rank tell each other.
enum class Word : char {
  meet = 'm',     ///< rank 0: the meeting point is on the desk; caller: go there
  opened = 'o',   ///< rank: memory and communicators are made
  all = 'a',      ///< caller: read all inputs, then do a step
  updated = 'u',  ///< caller: read the inputs that the step before has updated, then do a step
  done = 'd',     ///< rank: outputs of the step are on the desk
  finish = 'f',   ///< caller: end communicators; rank: they are ended
  failed = 'x',   ///< rank: the reason is on the desk
};

/// One end of a connection between a caller and a rank, threads or processes; closed with its owner.
class Port {
 public:
  explicit Port(int descriptor = -1) : descriptor_(descriptor) {}
  Port(Port&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Port& operator=(Port&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Port() { close(); }

  bool is_open() const { return descriptor_ >= 0; }
  void close();
  /// Says a word; one that nobody hears any more is lost.
  void say(Word word) const;
  /// Waits for the next word; none where the other end is closed.
  std::optional<Word> hear() const;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Both ends of a new connection; ends that are not open where the system has none left.
std::pair<Port, Port> connected_ports();

/// The ports, by number, that have a word or a closed other end, after at most `seconds`; none when that is over.
std::vector<size_t> wait_for(std::span<const Port* const> ports, double seconds);

}  // namespace isoshard::exec
