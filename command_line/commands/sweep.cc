// Reads `--sweep data=1..3,model=1,2,4` and `--sweep-set d=64,128,act=silu,gelu` into rows. A part between commas is a
// name with values or, without `=`, more values of the name before it; a size is a number or an inclusive range, and of
// a setting, which may be a word, any other text is one value: whoever has the setting refuses what it cannot be. The
// rows are the product of all names, the last one varying fastest, with a limit on values and rows that is checked
// before any list grows. Several options join their names. Every refusal quotes the whole text and shows a right one.
#include "command_line/commands/sweep.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "core/support/quoted.h"

namespace isoshard::command_line {
namespace {

/// An option that names what is swept.
struct SweepOption {
  const char* name;
  const char* form;     ///< of one part
  const char* subject;  ///< what a name is
  const char* values;   ///< what a bad value is not
  const char* example;
  int64_t least;  ///< number
};

constexpr SweepOption kMeshes{
    "--sweep", "AXIS=SIZES", "axis", "size of at least 1 and no range of sizes", "--sweep data=1..3,model=1,2,4", 1};
constexpr SweepOption kSettings{
    "--sweep-set", "NAME=VALUES", "name", "value and no range of integers", "--sweep-set d=64,128,act=silu,gelu",
    INT64_MIN};

struct SweptName {
  std::string name;
  std::vector<std::string> values;
};

std::optional<int64_t> parse_integer(std::string_view text, int64_t least) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least) return std::nullopt;
  return number;
}

/// Reads the texts of one option part by part, a part being what stands between commas.
class SweepReader {
 public:
  SweepReader(const SweepOption& option, DiagnosticSink& sink) : option_(option), sink_(sink) {}

  bool read(const std::string& text) {
    text_ = &text;
    const size_t first_name = names_.size();
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find(',', begin), text.size());
      if (!read_part(text.substr(begin, end - begin), first_name)) return false;
      begin = end + 1;
    }
    return true;
  }

  const std::vector<SweptName>& names() const { return names_; }

 private:
  bool fail(const std::string& what) const {
    sink_.error("", {},
                std::string(option_.name) + " " + isoshard::quoted(*text_) + ": " + what + "; expected for example " +
                    option_.example);
    return false;
  }

  bool read_part(const std::string& part, size_t first_name) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos) {
      if (names_.size() == first_name) return fail(isoshard::quoted(part) + " is not " + option_.form);
      return read_values(part);
    }
    const std::string name = part.substr(0, equals);
    if (name.empty()) return fail(isoshard::quoted(part) + " names no " + (&option_ == &kMeshes ? "axis" : "setting"));
    for (const SweptName& known : names_) {
      if (known.name == name) return fail("the " + std::string(option_.subject) + " `" + name + "` is given twice");
    }
    names_.push_back(SweptName{name, {}});
    return read_values(part.substr(equals + 1));
  }

  /// `4`, `1..8` or, of a setting, `gelu`.
  bool read_values(const std::string& text) {
    const size_t dots = text.find("..");
    const bool is_text = &option_ == &kSettings && dots == std::string::npos && !text.empty();
    if (is_text) return push(text);
    const std::string last_text = dots == std::string::npos ? text : text.substr(dots + 2);
    const std::optional<int64_t> first = parse_integer(text.substr(0, dots), option_.least),
                                 last = parse_integer(last_text, option_.least);
    if (!first || !last) return fail(isoshard::quoted(text) + " is no " + option_.values);
    if (*first > *last) return fail("the range " + text + " is empty");
    if (static_cast<uint64_t>(*last) - static_cast<uint64_t>(*first) + names_.back().values.size() >= kMaxSweep) {
      return too_many();
    }
    for (int64_t number = *first; number <= *last; ++number) names_.back().values.push_back(std::to_string(number));
    return true;
  }

  bool push(const std::string& text) {
    if (names_.back().values.size() >= kMaxSweep) return too_many();
    names_.back().values.push_back(text);
    return true;
  }

  bool too_many() const {
    return fail("that is more than " + std::to_string(kMaxSweep) + (&option_ == &kMeshes ? " sizes" : " values") +
                " of `" + names_.back().name + "`");
  }

  const SweepOption& option_;
  DiagnosticSink& sink_;
  const std::string* text_ = nullptr;
  std::vector<SweptName> names_;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// `points` once for each value of `swept`, which goes where `member` says.
std::vector<SweepPoint> multiplied(const std::vector<SweepPoint>& points, const SweptName& swept,
                                   Pairs SweepPoint::*member) {
  std::vector<SweepPoint> result;
  for (const SweepPoint& point : points) {
    for (const std::string& value : swept.values) {
      result.push_back(point);
      (result.back().*member).emplace_back(swept.name, value);
    }
  }
  return result;
}

std::string pairs_text(const Pairs& pairs) {
  std::string text;
  for (const auto& [name, value] : pairs) text += (text.empty() ? "" : ",") + name + "=" + value;
  return text;
}

}  // namespace

std::string SweepPoint::mesh_text() const { return pairs_text(axes); }

std::string SweepPoint::set_text() const { return pairs_text(settings); }

std::string SweepPoint::text() const {
  return mesh_text() + (axes.empty() || settings.empty() ? "" : ",") + set_text();
}

std::optional<std::vector<SweepPoint>> parse_sweep(const std::vector<std::string>& meshes,
                                                   const std::vector<std::string>& settings, DiagnosticSink& sink) {
  std::vector<SweepPoint> points(1);
  for (const auto& [texts, option] : {std::pair(&meshes, &kMeshes), std::pair(&settings, &kSettings)}) {
    SweepReader reader(*option, sink);
    for (const std::string& text : *texts) {
      if (!reader.read(text)) return std::nullopt;
    }
    for (const SweptName& swept : reader.names()) {
      if (swept.values.size() * points.size() > kMaxSweep) {
        sink.error("", {},
                   std::string(option->name) + " asks for more than " + std::to_string(kMaxSweep) +
                       (option == &kMeshes ? " meshes; expected fewer sizes" : " rows; expected fewer values"));
        return std::nullopt;
      }
      points = multiplied(points, swept, option == &kMeshes ? &SweepPoint::axes : &SweepPoint::settings);
    }
  }
  return points;
}

}  // namespace isoshard::command_line
