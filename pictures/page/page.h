#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/module.h"
#include "core/plan/plan.h"
#include "verify/report/report.h"

namespace isoshard::pictures {

struct Section;

/// A page that a browser shows without asking anyone for anything: HTML that is XML, too, with its style, its script
/// and its data inside (docs/adr/0093-pages.md). What a program calls its values is escaped everywhere.
class Page {
 public:
  explicit Page(std::string title) : title_(std::move(title)) {}

  /// Adds a program: its mesh, globals, values, grids, queues and memory.
  void add(const Module& module, ProgramId program);
  /// Adds a Plan without a program.
  void add(const Plan& plan);
  /// Adds what `report` says of `claim`, a claim of `module`, then its programs, the first wrong value marked in place.
  void add(const Module& module, const Check& claim, const verify::CheckReport& report);
  /// The same of a claim of `plan`.
  void add(const Plan& plan, const verify::CheckReport& report);
  /// Adds a line that says what is not on the page.
  void add_cut(const std::string& line);

  /// Whether nothing was added.
  bool empty() const { return sections_ == 0; }
  std::string html() const;

 private:
  /// Adds a section, which `part` of the page ends with.
  void put(const Section& section, std::string& part);
  void add(const Module& module, ProgramId program, std::string& part);
  /// A claim about the program or Plan of a section that follows.
  std::string begin_claim(const verify::CheckReport& report, const Section& section);
  void put_claim(const verify::CheckReport& report, std::string part);

  std::string title_;
  std::vector<std::string> verdicts_;  ///< of claims, for the top of the page, as markup
  /// What stands on the page, claims that do not hold first.
  std::vector<std::string> failing_, others_;
  std::string data_;  ///< of all sections, JSON objects with commas between
  size_t sections_ = 0;
  std::set<ProgramId> shown_;  ///< references, which several claims may have
};

}  // namespace isoshard::pictures
