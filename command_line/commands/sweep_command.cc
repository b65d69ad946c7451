// The command `check --sweep`: the claims of each input on many meshes, one row per claim and mesh, printed as they
// come. Each mesh loads the input again, because sizes take part in elaboration; several are decided at once
// (sweep_judge.h) and told in their order. A mesh whose sizes do not divide what
// it cuts is no mesh for these programs: it is counted, and a row only with --strict. Another mesh on which the input
// cannot be made is a row too, not the end of the sweep; what is wrong on all meshes alike, such as a missing file, is
// told once instead of a table, so that rows wait until one differs. Values of lets and settings make rows as meshes
// do. For --format github and sarif what is found is told at the end, once per place (sweep_findings.h). Columns are as
// wide as what is known beforehand: all meshes, and the claims of the first one. The exit code is the worst of all
// rows. Cost: a check per row.
#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "command_line/check_options.h"
#include "command_line/check_output.h"
#include "command_line/commands/sweep.h"
#include "command_line/commands/sweep_findings.h"
#include "command_line/commands/sweep_judge.h"
#include "command_line/github.h"
#include "command_line/json_output.h"
#include "command_line/sarif.h"
#include "command_line/signals.h"
#include "command_line/terminal.h"
#include "command_line/watch.h"
#include "core/support/counted.h"
#include "core/text/print/json_fields.h"
#include "sim/engine/answers_ahead.h"

namespace isoshard::command_line {
namespace {

/// One line of the table: a claim on a mesh, or why there is none.
struct Row {
  std::string mesh, claim, verdict;
  std::string devices = "-", rung = "-", lanes = "-", error = "-", time = "-";
  std::string remark;  ///< of a row that does not hold
  int code = kHolds;
};

struct Column {
  const char* title;
  std::string Row::*entry;
  size_t width;  ///< of what it usually holds; 0: that of the meshes and claims
};

constexpr std::array<Column, 8> kColumns{{{"mesh", &Row::mesh, 0},
                                          {"check", &Row::claim, 0},
                                          {"devices", &Row::devices, 7},
                                          {"verdict", &Row::verdict, 9},
                                          {"rung", &Row::rung, 4},
                                          {"lanes", &Row::lanes, 5},
                                          {"error", &Row::error, 8},
                                          {"time", &Row::time, 7}}};

std::string time_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 1 ? "%.3g ms" : "%.3g s", seconds < 1 ? seconds * 1000 : seconds);
  return text;
}

std::string name_of_claim(const verify::CheckReport& report) {
  return "@" + report.claim.left.name + " == @" + report.claim.right.name;
}

Row make_row(const std::string& mesh, const verify::CheckReport& report) {
  Row row;
  row.mesh = mesh;
  row.claim = name_of_claim(report);
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

/// The table of one input, printed row by row.
class SweepTable {
 public:
  SweepTable(std::string title, const std::vector<SweepPoint>& points) : title_(std::move(title)) {
    if (!points.front().settings.empty()) mesh_title_ = "sizes and settings";
    mesh_width_ = mesh_title_.size();
    for (const SweepPoint& point : points) mesh_width_ = std::max(mesh_width_, point.text().size());
  }

  /// What the claims of the first mesh that has any are called: a column where there are several.
  void take_claims(const std::vector<verify::CheckReport>& reports) {
    if (claim_width_ > 0 || reports.size() < 2) return;
    for (const verify::CheckReport& report : reports) {
      claim_width_ = std::max(claim_width_, name_of_claim(report).size());
    }
  }

  std::string head() const {
    Row titles;
    for (const Column& column : kColumns) titles.*column.entry = column.title;
    titles.mesh = mesh_title_;
    return title_ + "\n" + line(titles);
  }

  /// Columns two spaces apart; what a row remarks stands at its end.
  std::string line(const Row& row) const {
    std::string text;
    for (const Column& column : kColumns) {
      const bool is_claim = column.entry == &Row::claim;
      if (is_claim && claim_width_ == 0) continue;
      const size_t width = column.width > 0 ? column.width : is_claim ? claim_width_ : mesh_width_;
      const std::string& entry = row.*column.entry;
      text += "  " + entry + std::string(entry.size() < width ? width - entry.size() : 0, ' ');
    }
    text += "  " + row.remark;
    return text.erase(text.find_last_not_of(' ') + 1) + "\n";
  }

 private:
  std::string title_, mesh_title_ = "mesh";
  size_t mesh_width_ = 0, claim_width_ = 0;
};

/// Whether the mesh only has sizes that do not divide what they cut.
bool only_does_not_divide(const DiagnosticSink& sink) {
  const auto& all = sink.diagnostics();
  return !all.empty() && std::all_of(all.begin(), all.end(), [](const Diagnostic& d) {
    return d.rule == "T-divide" || d.rule == "C-divide" || d.rule == "E-divide";
  });
}

/// Judges one input on all meshes.
class Sweep {
 public:
  Sweep(std::string input, const Settings& settings, const std::vector<SweepPoint>& points, Watch& watch,
        SweepFindings& findings)
      : input_(std::move(input)),
        settings_(settings),
        points_(points),
        watch_(watch),
        findings_(findings),
        table_("sweep " + input_, points),
        judge_(input_, settings, workers_of(settings, watch), points.size()) {}

  /// False where the output cannot be written.
  bool run(bool first) {
    first_ = first;
    try {
      sim::AnswersAhead<Judged> ahead(points_.size(), judge_.threads(),
                                      [&](size_t p) { return judge_.judge(points_[p]); });
      for (const SweepPoint& point : points_) {
        watch_.begin_piece(point.text());
        tell(point, ahead.at(judged_));
        ++judged_;
      }
    } catch (const Interrupted&) {
      interrupted_ = true;
    }
    finish();
    return written_;
  }

  int code() const { return code_; }
  bool interrupted() const { return interrupted_; }
  Json take_json() { return std::move(json_); }
  /// What is wrong on every mesh alike, which was told in place of a table.
  const std::vector<Diagnostic>& common_error() const { return common_error_; }

 private:
  static sim::Workers workers_of(const Settings& settings, Watch& watch) {
    sim::Workers workers = check_options(settings).workers;
    workers.caller = &watch;
    return workers;
  }

  void tell(const SweepPoint& point, const Judged& judged) {
    const DiagnosticSink& sink = judged.sink;
    Json entry{{"input", input_}, {"mesh", Json::object()}};
    for (const auto& [axis, size] : point.axes) entry["mesh"][axis] = std::stoll(size);
    for (const auto& [name, value] : point.settings) entry["set"][name] = value;
    Json checks = Json::array();
    int code = kHolds;
    const bool skipped = !judged.loaded && !settings_.strict && only_does_not_divide(sink);
    if (skipped) {
      if (skipped_++ == 0) first_error_ = sink.diagnostics();
      entry["skipped"] = true;
    } else if (sink.has_errors()) {
      code = judged.loaded ? kUndecided : kBadInput;
      add_error(point, sink, code);
    }
    if (judged.loaded && settings_.warnings && !settings_.quiet) tell_warnings(judged.warnings);
    table_.take_claims(judged.reports);
    for (const verify::CheckReport& report : judged.reports) {
      ++checks_;
      code = worst(code, report.exit_code());
      add(make_row(point.text(), report));
      findings_.add(point.text(), findings_of(report));
      if (settings_.json) checks.push_back(Json::parse(verify::to_json(report)));
    }
    entry["exit_code"] = code;
    entry["checks"] = std::move(checks);
    if (!sink.diagnostics().empty()) entry["diagnostics"] = to_json(sink.diagnostics());
    json_.push_back(std::move(entry));
  }

  /// Once for all meshes.
  void tell_warnings(const std::vector<Diagnostic>& warnings) {
    std::vector<Diagnostic> told;
    for (const Diagnostic& warning : warnings) {
      if (warned_.insert(warning.rule + warning.location.to_string()).second) told.push_back(warning);
    }
    findings_.add("", told);
    watch_.wipe();
    if (settings_.format != "github") print_diagnostics(told, settings_.color);
  }

  void add_error(const SweepPoint& point, const DiagnosticSink& sink, int code) {
    Row row;
    row.mesh = point.text();
    row.verdict = code == kBadInput ? "error" : "no check";
    row.code = code;
    if (first_error_.empty()) first_error_ = sink.diagnostics();
    findings_.add(point.text(), sink.diagnostics());
    for (const Diagnostic& diagnostic : sink.diagnostics()) {
      if (diagnostic.severity == Severity::error && row.remark.empty()) row.remark = first_line(diagnostic);
    }
    add(std::move(row));
  }

  /// Rows wait while all of them are the same error.
  void add(Row row) {
    code_ = worst(code_, row.code);
    const auto known =
        std::find_if(counts_.begin(), counts_.end(), [&](const auto& c) { return c.first == row.verdict; });
    if (known == counts_.end()) {
      counts_.emplace_back(row.verdict, 1);
    } else {
      ++known->second;
    }
    const bool same_error = row.code == kBadInput && (waiting_.empty() || waiting_[0].remark == row.remark);
    waiting_.push_back(std::move(row));
    if (!begun_ && same_error) return;
    flush();
  }

  void flush() {
    if (!begun_) print((first_ ? "" : "\n") + table_.head());
    begun_ = true;
    for (const Row& row : waiting_) print(table_.line(row));
    waiting_.clear();
  }

  void finish() {
    const bool nothing_else = !begun_ && !interrupted_;
    if (nothing_else && (!waiting_.empty() || skipped_ > 0)) {
      common_error_ = first_error_;
      code_ = kBadInput;
      return;
    }
    flush();
    print(summary());
  }

  /// `8 meshes, 2 skipped, 6 checks: 6 EQUAL`, verdicts in the order they appear.
  std::string summary() const {
    const bool only_meshes = points_.front().settings.empty();
    std::string text = counted(static_cast<int64_t>(points_.size()), only_meshes ? "mesh" : "row");
    if (only_meshes && points_.size() > 1) text = std::to_string(points_.size()) + " meshes";
    if (skipped_ > 0) text += ", " + std::to_string(skipped_) + " skipped (sizes do not divide, --strict lists them)";
    text += ", " + counted(static_cast<int64_t>(checks_), "check");
    for (size_t i = 0; i < counts_.size(); ++i) {
      text += (i > 0 ? ", " : ": ") + std::to_string(counts_[i].second) + " " + counts_[i].first;
    }
    if (interrupted_) {
      text += "; interrupted " + watch_.where() + " at " + points_[judged_].text() + ", " +
              std::to_string(points_.size() - judged_) + " of them not decided";
    }
    return text + "\n";
  }

  void print(const std::string& text) {
    if (settings_.json || settings_.quiet || settings_.format == "sarif") return;
    watch_.wipe();
    if (written_) written_ = write_out(text);
  }

  std::string input_;
  const Settings& settings_;
  const std::vector<SweepPoint>& points_;
  Watch& watch_;
  SweepFindings& findings_;
  SweepTable table_;
  SweepJudge judge_;
  std::vector<Row> waiting_;
  std::vector<std::pair<std::string, size_t>> counts_;
  std::vector<Diagnostic> first_error_, common_error_;
  std::set<std::string> warned_;
  size_t judged_ = 0, skipped_ = 0, checks_ = 0;
  int code_ = kHolds;
  bool first_ = true, begun_ = false, interrupted_ = false, written_ = true;
  Json json_ = Json::array();
};

/// False where the output cannot be written.
bool write_findings(const std::vector<Diagnostic>& found, const std::string& format) {
  if (format == "github") return write_out(to_github(found));
  return format != "sarif" || write_out(to_sarif(found));
}

}  // namespace

int run_sweep(const Settings& settings) {
  DiagnosticSink sink;
  const std::optional<std::vector<SweepPoint>> points = parse_sweep(settings.sweep, settings.sweep_set, sink);
  int code = points ? kHolds : kBadInput;
  bool written = true, stopped = false;
  Json entries = Json::array();
  SweepFindings findings;
  Watch watch(settings.sweep_set.empty() ? "mesh" : "row", points ? points->size() * settings.inputs.size() : 0,
              settings.quiet);
  for (size_t i = 0; points && i < settings.inputs.size() && !stopped; ++i) {
    Sweep sweep(settings.inputs[i], settings, *points, watch, findings);
    written = sweep.run(i == 0) && written;
    code = worst(code, sweep.code());
    stopped = sweep.interrupted();
    for (const Diagnostic& diagnostic : sweep.common_error()) sink.add(diagnostic);
    findings.add("", sweep.common_error());
    for (Json& entry : sweep.take_json()) entries.push_back(std::move(entry));
  }
  watch.wipe();
  if (!points) findings.add("", sink.diagnostics());
  if (settings.format != "github") print_diagnostics(sink.diagnostics(), settings.color);
  if (stopped) code = kInterrupted;
  if (settings.json) {
    Json all = json_envelope(code);
    all["sweep"] = std::move(entries);
    if (stopped) all["interrupted"] = true;
    if (!sink.diagnostics().empty()) all["diagnostics"] = to_json(sink.diagnostics());
    written = settings.quiet || write_out(text::json_to_text(all));
  }
  if (!settings.quiet && written) written = write_findings(findings.all(), settings.format);
  return written ? code : static_cast<int>(kBadInput);
}

}  // namespace isoshard::command_line
