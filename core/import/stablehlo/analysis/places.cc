// Locations that JAX prints with `debug_info=True`: the name of an op around `callsite(A at B)` with the callee first,
// the name of a Python function around a file and a line, aliases for all of them. (Before jax 0.7 the name around a
// file is that of the op; so one name alone is of no function.) The user's line is the first that is met from the
// inside in a file that is none of a package: what Flax or Optax compute is found where they are called; further ones
// are its callers. Functions of jit are written once for all calls and know none, so theirs are those of the call. A
// frame that is told is not told again, as the lines of `scan`, which stand there once for each of its parts. Cost: the
// nesting of a location for each op, at most 1000 parts of it; line numbers of the text are counted from its beginning.
#include "core/import/stablehlo/analysis/places.h"

#include <algorithm>
#include <charconv>

#include "core/support/call_chain.h"

namespace isoshard::stablehlo {
namespace {

constexpr int kMostAliases = 100;

const Attribute* resolved(const ModuleText& text, const Attribute& location) {
  const Attribute* at = &location;
  for (int steps = 0; at->kind == Attribute::Kind::alias && steps < kMostAliases; ++steps) {
    const auto alias = text.aliases.find(at->text);
    if (alias == text.aliases.end()) return nullptr;
    at = &alias->second;
  }
  return at;
}

uint32_t number_at(const Attribute& place, size_t i) {
  uint32_t result = 0;
  if (i < place.items.size()) {
    const std::string_view text = place.items[i].text;
    std::from_chars(text.data(), text.data() + text.size(), result);
  }
  return result;
}

bool in_package(std::string_view file) {
  return file.find("/site-packages/") != std::string_view::npos || file.starts_with("site-packages/") ||
         file.find("/dist-packages/") != std::string_view::npos ||
         file.find("/lib/python3") != std::string_view::npos || file.starts_with("<frozen ");
}

/// The frames of a location from the inside.
class FrameReader {
 public:
  explicit FrameReader(const ModuleText& text) : text_(text) {}

  /// `names`: of these there are so many around `location`; the last is `name`, where it is directly around it.
  void read(const Attribute& location, std::string_view name, int names) {
    const Attribute* place = resolved(text_, location);
    if (place == nullptr || --parts_left_ < 0 || place->kind != Attribute::Kind::list) return;
    if (place->text == "file") return frames_.push_back(Frame{place, names > 1 ? name : std::string_view()});
    if (place->text == "name") {
      if (place->items.size() > 1) read(place->items[1], place->items[0].text, names + 1);
      return;
    }
    const auto is_own = [](const Frame& frame) { return frame.own(); };
    for (const Attribute& item : place->items) {
      read(item, "", names);
      if (place->text == "fused" && std::any_of(frames_.begin(), frames_.end(), is_own)) return;
    }
  }

  std::vector<Frame> take() { return std::move(frames_); }

 private:
  const ModuleText& text_;
  int parts_left_ = 1000;
  std::vector<Frame> frames_;
};

std::vector<Frame> frames_of(const ModuleText& text, const Attribute& location) {
  FrameReader reader(text);
  reader.read(location, "", 0);
  return reader.take();
}

/// `step.<locals>.body` as `step.body`; nothing for what is in no function.
std::string spoken(std::string_view function) {
  constexpr std::string_view kLocals = ".<locals>";
  std::string words(function == "<module>" ? std::string_view() : function);
  for (size_t at = words.find(kLocals); at != std::string::npos; at = words.find(kLocals)) {
    words.erase(at, kLocals.size());
  }
  return words;
}

}  // namespace

bool Frame::own() const { return !in_package(file->items[0].text); }

bool Frame::same_line(const Frame& other) const {
  return function == other.function && file->items[0].text == other.file->items[0].text &&
         number_at(*file, 1) == number_at(*other.file, 1);
}

Location Places::of(const std::vector<const Attribute*>& locations, const Location& in_text) {
  std::vector<Frame> frames;
  for (const Attribute* location : locations) {
    for (const Frame& frame : frames_of(text_, *location)) {
      const auto is_told = [&](const Frame& told) { return told.same_line(frame); };
      if (frame.own() && std::none_of(frames.begin(), frames.end(), is_told)) frames.push_back(frame);
    }
  }
  if (frames.empty() && !locations.empty()) frames = frames_of(text_, *locations[0]);
  if (frames.empty()) return in_text;
  if (!frames[0].own()) frames.resize(1);
  const bool called = frames.size() > 1;
  const Location text = called ? in_text.within(callers(frames, 1), std::string(kCalled)) : in_text;
  return line(frames[0]).within(text, "in the text of the program");
}

Location Places::line(const Frame& frame) {
  const std::string_view name = frame.file->items[0].text;
  std::shared_ptr<const SourceFile>& source = sources_[{name, frame.function}];
  if (source == nullptr) {
    source = std::make_shared<const SourceFile>(SourceFile{std::string(name), "", spoken(frame.function)});
  }
  const uint32_t column = number_at(*frame.file, 2);
  return Location::span(source, number_at(*frame.file, 1), column, column + 1);
}

/// The frames from `first` on, each called from the next.
Location Places::callers(const std::vector<Frame>& frames, size_t first) {
  std::vector<const Attribute*> key;
  for (size_t i = first; i < frames.size(); ++i) key.push_back(frames[i].file);
  Location& known = callers_[key];
  if (known.known()) return known;
  Location made = line(frames.back());
  for (size_t i = frames.size() - 1; i > first; --i) made = line(frames[i - 1]).within(made, std::string(kCalled));
  return known = made;
}

std::string_view name_of(const ModuleText& text, const Attribute& location) {
  const Attribute* place = resolved(text, location);
  if (place == nullptr || place->text != "name" || place->items.empty()) return {};
  return place->items[0].text;
}

}  // namespace isoshard::stablehlo
