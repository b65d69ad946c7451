// Reads a Plan file in steps that rest on each other: tokens, the header, the lines of the groups, names, types, and
// what a Plan has to keep. Each step reports what it finds, and the next begins only without errors. Last uses follow
// from the order, so a file may leave them out; where it says them they are compared with what follows, since the
// memory of a Plan is counted by them. Cost: linear in the text, but for verify_plan, which is bounded first
// (plan_limits.h).
#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "core/plan/order/set_last_uses.h"
#include "core/plan/verify/verify_plan.h"
#include "core/text/plan/plan_text.h"
#include "core/text/plan/read/group_reader.h"
#include "core/text/plan/read/link_plan.h"
#include "core/text/plan/read/plan_limits.h"
#include "core/text/plan/read/plan_outputs.h"
#include "core/text/plan/read/plan_types.h"

namespace isoshard::text {
namespace {

/// The header with the groups of a file; nothing after an error, which is reported.
struct PlanLines {
  PlanHeader header;
  std::vector<GroupLines> groups;
};

class FileReader {
 public:
  FileReader(const std::shared_ptr<const SourceFile>& file, const TokenStream& stream, DiagnosticSink& sink)
      : file_(file), sink_(sink), reader_(file, stream, sink) {}

  std::optional<PlanLines> run() {
    const size_t before = sink_.error_count();
    PlanLines result;
    try {
      std::optional<PlanHeader> header = read_plan_header(reader_, file_, sink_);
      if (!header) return std::nullopt;
      result.header = std::move(*header);
      const Plan& plan = result.header.file.plan;
      const FileScope names{file_, sink_, {plan.mesh}, {}};
      const Scope scope(names, plan.mesh.get());
      GroupReader groups(reader_, file_, scope, result.header);
      while (!reader_.at_end() && !reader_.too_many_errors()) item(result, groups);
      if (sink_.error_count() == before) groups.expect_all_positions();
    } catch (const SyntaxError&) {
      return std::nullopt;
    }
    return sink_.error_count() == before ? std::optional(std::move(result)) : std::nullopt;
  }

 private:
  void item(PlanLines& result, GroupReader& groups) {
    if (reader_.is_word("check")) {
      result.header.file.checks.push_back(read_plan_check(reader_, file_));
      return;
    }
    if (reader_.is_word("function")) return groups.read_function();
    if (!reader_.is_word("ranks")) {
      reader_.fail_expected(
          "`ranks` and a group of ranks, `function`, or `check`; other items stand before the first function and "
          "group");
    }
    result.groups.push_back(groups.read());
  }

  const std::shared_ptr<const SourceFile>& file_;
  DiagnosticSink& sink_;
  TokenReader reader_;
};

// Last uses.

using Ids = std::vector<PlanValueId>;

Ids sorted(std::span<const PlanValueId> ids) {
  Ids result(ids.begin(), ids.end());
  std::sort(result.begin(), result.end());
  return result;
}

/// What is in `a` and not in `b`, sorted lists.
std::optional<PlanValueId> first_beyond(const Ids& a, const Ids& b) {
  for (const PlanValueId id : a) {
    if (!std::binary_search(b.begin(), b.end(), id)) return id;
  }
  return std::nullopt;
}

/// Compares last uses as written with those that follow, wherever there are some.
class LastUses {
 public:
  LastUses(const Plan& written, const Plan& right, DiagnosticSink& sink) : plan_(written), right_(right), sink_(sink) {}

  void compare() {
    for (size_t i = 0; i < plan_.instructions.size() && !found_; ++i) {
      const Instruction& a = plan_.instructions[i];
      compare(a.last_uses, right_.instructions[i].last_uses, a.location(), "the instruction");
    }
    for (size_t g = 0; g < plan_.groups.size(); ++g) compare(plan_.groups[g].blocks, right_.groups[g].blocks);
  }

 private:
  void compare(const std::vector<isoshard::Block>& a, const std::vector<isoshard::Block>& b) {
    for (size_t i = 0; i < a.size() && !found_; ++i) {
      const Location at = a[i].repeat ? a[i].repeat->location : location_of(a[i]);
      compare(a[i].last_uses, b[i].last_uses, at, a[i].repeat ? "the repeat" : "the block");
      if (a[i].repeat) compare(a[i].repeat->body, b[i].repeat->body);
    }
  }

  Location location_of(const isoshard::Block& block) const {
    for (const Queue& queue : block.queues) {
      if (!queue.instructions.empty()) return plan_.instruction(queue.instructions.back()).location();
    }
    return {};
  }

  void compare(std::span<const PlanValueId> written, std::span<const PlanValueId> right, const Location& at,
               const std::string& what) {
    if (found_) return;
    const Ids a = sorted(written), b = sorted(right);
    if (a == b) return;
    const std::optional<PlanValueId> more = first_beyond(a, b), less = first_beyond(b, a);
    std::string text = what;
    if (more) {
      text += " frees %" + plan_.value(*more).name() + ", which is not free there";
    } else if (less) {
      text += " does not free %" + plan_.value(*less).name() + ", which is free then";
    } else {
      text += " frees a value twice";
    }
    sink_.error("L-frees", at,
                text +
                    "; expected the last uses that follow from queues and tokens: leave out all `frees` of the file, "
                    "and `isoshard show` writes them");
    found_ = true;
  }

  const Plan& plan_;
  const Plan& right_;
  DiagnosticSink& sink_;
  bool found_ = false;
};

/// `#7` of a finding is an id; the file has a number of its own for it.
std::string with_numbers(const std::string& message, const std::vector<int64_t>& numbers) {
  std::string result;
  for (size_t i = 0; i < message.size();) {
    result += message[i++];
    if (result.back() != '#') continue;
    size_t id = 0;
    const auto [end, status] = std::from_chars(message.data() + i, message.data() + message.size(), id);
    if (status != std::errc() || id >= numbers.size()) continue;
    result += std::to_string(numbers[id]);
    i = static_cast<size_t>(end - message.data());
  }
  return result;
}

/// Reports what does not hold in a Plan whose names are resolved; makes last uses where the file has none.
void verify(LinkedPlan& linked, const std::vector<Location>& outputs, DiagnosticSink& sink) {
  const size_t before = sink.error_count();
  check_plan_types(linked.plan, sink);
  if (sink.error_count() != before || !check_plan_limits(linked.plan, sink)) return;
  for (Diagnostic& finding : verify_plan(linked.plan)) {
    finding.message = with_numbers(finding.message, linked.numbers);
    sink.add(std::move(finding));
  }
  if (sink.error_count() == before) check_plan_outputs(linked.plan, outputs, sink);
  if (sink.error_count() != before) return;
  Plan right = linked.plan;
  set_last_uses(right);
  if (linked.frees) {
    LastUses(linked.plan, right, sink).compare();
  } else {
    linked.plan = std::move(right);
  }
}

}  // namespace

std::optional<PlanFile> read_plan(const std::shared_ptr<const SourceFile>& file, DiagnosticSink& sink) {
  const size_t before = sink.error_count();
  const TokenStream stream = tokenize(file, sink, "#");
  if (sink.error_count() != before) return std::nullopt;
  std::optional<PlanLines> lines = FileReader(file, stream, sink).run();
  if (!lines) return std::nullopt;
  const FileScope names{file, sink, {lines->header.file.plan.mesh}, {}};
  const Scope scope(names, lines->header.file.plan.mesh.get());
  std::optional<LinkedPlan> linked = link_plan(lines->header, lines->groups, scope);
  if (!linked) return std::nullopt;
  std::vector<PlanCheck> checks = std::move(lines->header.file.checks);
  const std::vector<Location> outputs = std::move(lines->header.outputs);
  lines.reset();
  verify(*linked, outputs, sink);
  if (sink.error_count() != before) return std::nullopt;
  return PlanFile{std::move(linked->plan), std::move(checks)};
}

}  // namespace isoshard::text
