// Checks how often views read, and results write, each element of an array (docs/spec/views.md, "Coverage";
// docs/adr/0008-views.md). Every device's block is a box; devices that differ only on axes on which a layout does not
// depend count once, so one of each is taken. Boxes are counted on the grid that their edges make (cover.h), never by
// element, so that the cost does not grow with sizes. What is read too little or too often is named by index ranges.
// Errors, not warnings: a forgotten shard would otherwise pass where the reference forgets it, too. Cost: devices on
// splitting axes times views, plus the cells of the grid, at most 2^26.
#include "core/ir/builder/coverage.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace isoshard {
namespace {

/// `part` of the block at `place`, both without what lies beyond the end of the array.
void narrow(IndexRange& place, const Layout& layout, const std::vector<BlockRange>& part) {
  size_t next = 0;
  for (size_t d = 0; d < layout.size() && !part.empty(); ++d) {
    if (layout[d].split == Split::stack) continue;
    const BlockRange& range = part[next++];
    const int64_t begin = place.begin[d];
    place.begin[d] = std::min(begin + range.start, place.end[d]);
    if (range.limit) place.end[d] = std::min(begin + *range.limit, place.end[d]);
  }
}

void add_blocks(Cover& cover, const Shape& whole, const Layout& layout, const std::vector<BlockRange>& part,
                const Mesh& mesh) {
  for (const int64_t position : representatives(mesh, splitting_axes(layout))) {
    IndexRange place = block_place(whole, layout, mesh, position);
    narrow(place, layout, part);
    cover.add(place.begin, place.end);
  }
}

std::string count_in_words(int64_t times) { return times == 1 ? "once" : std::to_string(times) + " times"; }

/// What is wrong with a cover, or nothing: `@W[0:4] is read by no device`; `verb` is "read" or "written".
std::optional<std::string> complaint(Cover& cover, int64_t times, const std::string& subject, const std::string& verb) {
  if (!cover.count()) return subject + " is cut into more than 2^26 parts, too many to check";
  const std::vector<IndexRange> fewer = cover.wrong(times, false), more = cover.wrong(times, true);
  if (fewer.empty() && more.empty()) return std::nullopt;
  if (const std::optional<int64_t> all = cover.uniform(); all && *all != 0) {
    return subject + " is " + verb + " " + count_in_words(*all);
  }
  const std::string less = times == 1 ? " by no device" : " less than " + count_in_words(times);
  std::string text = subject;
  if (!fewer.empty()) text += to_string(fewer) + " is " + verb + less;
  if (!more.empty()) {
    text += (fewer.empty() ? "" : " and ") + to_string(more) + " is " + verb + " more than " + count_in_words(times);
  }
  return text;
}

/// The views of one global, in program order.
struct Reads {
  std::vector<const Op*> ops;
  const View& view(size_t i) const { return std::get<View>(ops[i]->data); }
};

std::string written_coverage(const Coverage& coverage) {
  if (coverage.times == 0) return "`incomplete`";
  return coverage.times == 1 ? "`once`" : "`times " + std::to_string(coverage.times) + "`";
}

bool agree(const Reads& reads, const std::string& name, DiagnosticSink& sink) {
  for (size_t i = 1; i < reads.ops.size(); ++i) {
    if (reads.view(i).coverage == reads.view(0).coverage) continue;
    sink.error("C-coverage", reads.ops[i]->location,
               "view: the views of @" + name + " in this program disagree: " +
                   written_coverage(reads.view(i).coverage) + " here and " + written_coverage(reads.view(0).coverage) +
                   " before; expected the same, for it speaks of all of them together")
        .note(reads.ops[0]->location, "the first view of @" + name);
    return false;
  }
  return true;
}

bool check_reads(const Reads& reads, const Global& global, const Mesh& mesh, DiagnosticSink& sink) {
  const int64_t times = reads.view(0).coverage.times;
  if (!agree(reads, global.name, sink)) return false;
  if (times == 0) return true;
  Cover cover(global.type.shape);
  for (size_t i = 0; i < reads.ops.size(); ++i) {
    add_blocks(cover, global.type.shape, reads.view(i).layout, reads.view(i).range, mesh);
  }
  const std::optional<std::string> wrong = complaint(cover, times, "@" + global.name, "read");
  if (!wrong) return true;
  const int64_t all = cover.uniform().value_or(0);
  const std::string repair = all == 1  ? "leave out `times`"
                             : all > 1 ? "write `times " + std::to_string(all) + "` after each view of it"
                                       : "write `incomplete` after each view of it";
  Diagnostic& error = sink.error("C-coverage", reads.ops[0]->location,
                                 "view: " + *wrong + "; expected each element " + count_in_words(times) +
                                     " over all devices and views of the program; if this is meant, " + repair);
  if (reads.ops.size() > 1) {
    error.note(reads.ops.back()->location, "the last of " + std::to_string(reads.ops.size()) + " views of it");
  }
  return false;
}

}  // namespace

IndexRange block_place(const Shape& whole, const Layout& layout, const Mesh& mesh, int64_t position) {
  IndexRange result;
  for (size_t d = 0; d < layout.size(); ++d) {
    const int64_t size = block_size(layout[d], whole[d], mesh), index = block_index(layout[d], mesh, position);
    result.begin.push_back(std::min(index * size, whole[d]));
    result.end.push_back(std::min((index + 1) * size, whole[d]));
  }
  return result;
}

bool check_views(const Program& program, const Module& module, DiagnosticSink& sink) {
  std::map<GlobalId, Reads> reads;
  for (size_t i = 0; i < program.op_count(); ++i) {
    const Op& op = program.op(OpId(i));
    if (const View* view = std::get_if<View>(&op.data)) reads[view->global].ops.push_back(&op);
  }
  bool good = true;
  for (const auto& [global, views] : reads) {
    good = check_reads(views, module.global(global), program.mesh(), sink) && good;
  }
  return good;
}

bool check_parts(const std::vector<ReturnPart>& parts, const Shape& whole, const Mesh& mesh, const std::string& subject,
                 DiagnosticSink& sink, const std::string& statement) {
  Cover cover(whole);
  for (const ReturnPart& part : parts) add_blocks(cover, whole, part.layout, {}, mesh);
  const std::optional<std::string> wrong = complaint(cover, 1, subject, "written");
  if (!wrong) return true;
  Diagnostic& error = sink.error("C-coverage", parts[0].location,
                                 statement + ": " + *wrong +
                                     "; expected each element once, copies on axes that do not "
                                     "split the layout aside");
  if (parts.size() > 1) {
    error.note(parts.back().location, "the last of " + std::to_string(parts.size()) + " parts of it");
  }
  return false;
}

}  // namespace isoshard
