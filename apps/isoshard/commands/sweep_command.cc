// The command `check --sweep`: the claims of each input on many meshes, one row per claim and mesh. Each mesh loads the
// input again, because sizes take part in elaboration. A mesh on which the input cannot be made is a row too, not the
// end of the sweep; what is wrong on all meshes alike, such as a missing file, is told once instead of a table. Columns
// are as wide as their widest entry, and the check is named only where there are several. The exit code is the worst of
// all rows. Cost: a check per row.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "apps/isoshard/check_options.h"
#include "apps/isoshard/commands/sweep.h"
#include "apps/isoshard/json_output.h"
#include "apps/isoshard/terminal.h"
#include "core/text/print/json_fields.h"

namespace isoshard::app {
namespace {

using Clock = std::chrono::steady_clock;

/// One line of the table: a claim on a mesh, or why there is none.
struct Row {
  std::string mesh, claim, verdict;
  std::string devices = "-", rung = "-", lanes = "-", error = "-", time = "-";
  std::string remark;  ///< of a row that does not hold
  int code = kHolds;
};

constexpr std::array<std::pair<const char*, std::string Row::*>, 8> kColumns{{{"mesh", &Row::mesh},
                                                                              {"check", &Row::claim},
                                                                              {"devices", &Row::devices},
                                                                              {"verdict", &Row::verdict},
                                                                              {"rung", &Row::rung},
                                                                              {"lanes", &Row::lanes},
                                                                              {"error", &Row::error},
                                                                              {"time", &Row::time}}};

std::string time_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 1 ? "%.3g ms" : "%.3g s", seconds < 1 ? seconds * 1000 : seconds);
  return text;
}

Row make_row(const std::string& mesh, const verify::CheckReport& report) {
  Row row;
  row.mesh = mesh;
  row.claim = "@" + report.claim.left.name + " == @" + report.claim.right.name;
  row.code = report.exit_code();
  if (!report.bad_input.empty()) {
    row.verdict = "error";
    row.remark = first_line(report.bad_input.front());
    return row;
  }
  row.verdict = verify::name(report.verdict());
  row.devices = std::to_string(std::max(report.claim.left.devices, report.claim.right.devices));
  row.time = time_text(report.seconds);
  if (report.ring_ran) {
    row.rung = enumerated(report.terms.deciding);
    row.lanes = std::to_string(report.terms.lanes);
  }
  if (report.equivalence == verify::Verdict::equal)
    row.error = report.terms.error_text().substr(std::string("error ").size());
  if (row.code != kHolds) row.remark = report.headline();
  return row;
}

/// Tells a person at a terminal how far a long sweep is, on a line that is wiped afterwards.
class SweepProgress {
 public:
  explicit SweepProgress(size_t total) : total_(total), shown_(isatty(STDERR_FILENO) != 0) {}
  ~SweepProgress() { wipe(); }
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;

  void start(const std::string& mesh) {
    ++number_;
    if (!shown_ || Clock::now() - begin_ < std::chrono::seconds(2)) return;
    std::fprintf(stderr, "\r\033[K%zu of %zu: %s", number_, total_, mesh.c_str());
    std::fflush(stderr);
    written_ = true;
  }
  void wipe() {
    if (written_) std::fputs("\r\033[K", stderr);
    written_ = false;
  }

 private:
  size_t total_, number_ = 0;
  bool shown_, written_ = false;
  Clock::time_point begin_ = Clock::now();
};

/// Judges one input on all meshes.
class Sweep {
 public:
  Sweep(std::string input, const Settings& settings) : input_(std::move(input)), settings_(settings) {}

  void run(const std::vector<SweepPoint>& points) {
    SweepProgress progress(points.size());
    for (const SweepPoint& point : points) {
      progress.start(point.text());
      judge(point);
    }
  }

  int code() const {
    int code = kHolds;
    for (const Row& row : rows_) code = worst(code, row.code);
    return code;
  }
  const std::vector<Row>& rows() const { return rows_; }
  /// What is wrong on every mesh alike (no such file, no such axis): it is told once, instead of a table.
  std::vector<Diagnostic> common_error() const {
    for (const Row& row : rows_) {
      if (row.code != kBadInput || row.remark != rows_[0].remark) return {};
    }
    return first_error_;
  }
  Json take_json() { return std::move(json_); }

 private:
  void judge(const SweepPoint& point) {
    Settings settings = settings_;
    settings.mesh.push_back(point.text());
    DiagnosticSink sink;
    const std::optional<Module> module = load_claims(input_, settings, sink);
    Json entry{{"input", input_}, {"mesh", Json::object()}};
    for (const MeshAxis& axis : point.axes) entry["mesh"][axis.name] = axis.size;
    Json checks = Json::array();
    const size_t first = rows_.size();
    if (sink.has_errors()) add_error(point, sink, module ? kUndecided : kBadInput);
    for (size_t i = 0; module && i < module->checks.size(); ++i) {
      const verify::CheckReport report = verify::check(*module, module->checks[i], check_options(settings_));
      rows_.push_back(make_row(point.text(), report));
      if (settings_.json) checks.push_back(Json::parse(verify::to_json(report)));
    }
    int code = kHolds;
    for (size_t i = first; i < rows_.size(); ++i) code = worst(code, rows_[i].code);
    entry["exit_code"] = code;
    entry["checks"] = std::move(checks);
    if (!sink.diagnostics().empty()) entry["diagnostics"] = to_json(sink.diagnostics());
    json_.push_back(std::move(entry));
  }

  void add_error(const SweepPoint& point, const DiagnosticSink& sink, int code) {
    Row row;
    row.mesh = point.text();
    row.verdict = code == kBadInput ? "error" : "no check";
    row.code = code;
    if (rows_.empty()) first_error_ = sink.diagnostics();
    for (const Diagnostic& diagnostic : sink.diagnostics()) {
      if (diagnostic.severity == Severity::error && row.remark.empty()) row.remark = first_line(diagnostic);
    }
    rows_.push_back(std::move(row));
  }

  std::string input_;
  const Settings& settings_;
  std::vector<Row> rows_;
  std::vector<Diagnostic> first_error_;
  Json json_ = Json::array();
};

/// `8 meshes: 6 EQUAL, 2 error`, verdicts in the order they appear.
std::string summary(const std::vector<Row>& rows, size_t meshes) {
  std::vector<std::pair<std::string, size_t>> counts;
  for (const Row& row : rows) {
    const auto known =
        std::find_if(counts.begin(), counts.end(), [&](const auto& c) { return c.first == row.verdict; });
    if (known == counts.end()) {
      counts.push_back({row.verdict, 1});
    } else {
      ++known->second;
    }
  }
  std::string text = std::to_string(meshes) + (meshes == 1 ? " mesh: " : " meshes: ");
  for (size_t i = 0; i < counts.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(counts[i].second) + " " + counts[i].first;
  }
  return text + "\n";
}

bool has_several_claims(const std::vector<Row>& rows) {
  std::string first;
  for (const Row& row : rows) {
    if (first.empty()) first = row.claim;
    if (!row.claim.empty() && row.claim != first) return true;
  }
  return false;
}

/// Columns of equal width, two spaces apart; what a row remarks stands at its end.
std::string sweep_table(const std::vector<Row>& rows) {
  const bool claims = has_several_claims(rows);
  std::string head;
  std::vector<std::string> lines(rows.size());
  for (const auto& [title, member] : kColumns) {
    if (member == &Row::claim && !claims) continue;
    size_t width = std::string(title).size();
    for (const Row& row : rows) width = std::max(width, (row.*member).size());
    const auto pad = [&](const std::string& text) { return "  " + text + std::string(width - text.size(), ' '); };
    head += pad(title);
    for (size_t i = 0; i < rows.size(); ++i) lines[i] += pad(rows[i].*member);
  }
  std::string text;
  const auto add = [&](std::string line) { text += line.erase(line.find_last_not_of(' ') + 1) + "\n"; };
  add(head);
  for (size_t i = 0; i < rows.size(); ++i) add(lines[i] + "  " + rows[i].remark);
  return text;
}

}  // namespace

int run_sweep(const Settings& settings) {
  DiagnosticSink sink;
  const std::optional<std::vector<SweepPoint>> points = parse_sweep(settings.sweep, sink);
  int code = points ? kHolds : kBadInput;
  std::string text;
  Json entries = Json::array();
  for (size_t i = 0; points && i < settings.inputs.size(); ++i) {
    Sweep sweep(settings.inputs[i], settings);
    sweep.run(*points);
    code = worst(code, sweep.code());
    const std::vector<Diagnostic> common = sweep.common_error();
    for (const Diagnostic& diagnostic : common) sink.add(diagnostic);
    if (common.empty()) {
      text += (text.empty() ? "sweep " : "\nsweep ") + settings.inputs[i] + "\n" + sweep_table(sweep.rows()) +
              summary(sweep.rows(), points->size());
    }
    for (Json& entry : sweep.take_json()) entries.push_back(std::move(entry));
  }
  print_diagnostics(sink.diagnostics(), settings.color);
  if (settings.json) {
    Json all = json_envelope(code);
    all["sweep"] = std::move(entries);
    if (!sink.diagnostics().empty()) all["diagnostics"] = to_json(sink.diagnostics());
    text = text::json_to_text(all);
  }
  return write_out(text) ? code : kBadInput;
}

}  // namespace isoshard::app
