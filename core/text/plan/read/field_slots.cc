// Reads the fields of the instructions of a Plan that are no ops of programs. The list of fields belongs to the kind of
// instruction (instruction_fields.h) and fills slots here, each with what reads its value; the braces are then read
// field by field. So printing and reading share one list, and a field that is unknown, missing or given twice is
// reported with those that there are. Cost: fields times fields, both few.
#include "core/text/plan/read/field_slots.h"

#include <algorithm>
#include <utility>

#include "core/ir/enum_names.h"
#include "core/text/plan/read/communicator_syntax.h"
#include "core/text/plan/read/plan_tokens.h"
#include "core/text/syntax/suggest.h"

namespace isoshard::text {
namespace {

constexpr int64_t kMostBlockCount = int64_t{1} << 40;

/// `4` of `model of 4`.
int64_t read_block_count(TokenReader& reader) {
  if (!reader.is_word("of")) reader.fail_expected("`of` and the number of blocks, as in `model of 4`");
  reader.take();
  const int64_t count = read_count(reader, "the number of blocks, as in `model of 4`");
  if (count >= 1 && count <= kMostBlockCount) return count;
  reader.fail("E-block", reader.last().span,
              "the number of blocks is " + std::to_string(count) + "; expected 1 to 2^40");
}

std::string with_article(bool is_update, const std::string& name) {
  return (is_update ? "update @" : "output @") + name;
}

}  // namespace

void read_blocks(TokenReader& reader, const Scope& scope, const std::vector<int64_t>& loops,
                 std::vector<isoshard::Expr>& block, std::vector<int64_t>& count) {
  reader.expect("[", "and the blocks, as in [model of 4, -]");
  while (!reader.accept("]")) {
    if (!block.empty()) reader.expect(",", "or `]` after the block");
    const bool whole = reader.is("-") && (reader.is(",", 1) || reader.is("]", 1));
    if (whole) reader.take();
    block.push_back(whole ? isoshard::Expr(0) : CoordinateReader(reader, scope, loops).read().value);
    count.push_back(whole ? 1 : read_block_count(reader));
  }
}

void FieldSlots::integer(const char* name, int64_t& value) {
  add(name, [this, &value] { value = read_count(reader_, "an integer of at least 0"); });
}

void FieldSlots::expression(const char* name, isoshard::Expr& value) {
  add(name, [this, &value] { value = CoordinateReader(reader_, scope_, loops_).read().value; });
}

void FieldSlots::block(const char* name, isoshard::Expr& block, int64_t& count) {
  add(name, [this, &block, &count] {
    block = CoordinateReader(reader_, scope_, loops_).read().value;
    count = read_block_count(reader_);
  });
}

void FieldSlots::blocks(const char* name, std::vector<isoshard::Expr>& block, std::vector<int64_t>& count) {
  add(name, [this, &block, &count] { read_blocks(reader_, scope_, loops_, block, count); });
}

void FieldSlots::output(uint32_t& index) {
  add("output", [this, &index] { take_output(index, false); });
  add("update", [this, &index] { take_output(index, true); });
}

void FieldSlots::take_output(uint32_t& index, bool is_update) {
  const Word name = reader_.expect_kind(TokenKind::global, "an output, as in output=@y");
  const std::vector<Output>& outputs = header_.file.plan.outputs;
  std::vector<std::string> known;
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (outputs[o].updates.valid() != is_update) continue;
    known.push_back(outputs[o].name);
    if (outputs[o].name != name.text) continue;
    index = static_cast<uint32_t>(o);
    for (Slot& slot : slots_) slot.given = slot.given || slot.name == "output" || slot.name == "update";
    return;
  }
  reader_.fail("E-global", name.span,
               "there is no " + with_article(is_update, name.text) +
                   suggestion(name.text, known, "@", is_update ? "updates" : "outputs"));
}

void FieldSlots::group(CommunicatorId& id) {
  const std::vector<Communicator>& all = header_.file.plan.communicators;
  for (size_t c = 0; c < all.size(); ++c) {
    if (all[c].queue == queue_) id = CommunicatorId(c);
  }
  add("group", [this, id] { take_group(id); });
}

void FieldSlots::take_group(CommunicatorId id) {
  const CommunicatorSyntax syntax = parse_communicator(reader_);
  const std::optional<Communicator> given = read_communicator(syntax, scope_);
  if (!given) throw SyntaxError{};
  const std::string& queue = header_.queues[queue_.index()];
  const Mesh& mesh = scope_.mesh();
  if (!id.valid()) {
    reader_.fail("L-queue", syntax.span,
                 "the queue " + queue + " has no communicator; expected a queue of a communicator over " +
                     given->to_string(mesh));
  }
  const Communicator& own = header_.file.plan.communicators[id.index()];
  if (own.group == given->group && own.sets == given->sets) return;
  reader_.fail("L-queue", syntax.span,
               "the group is " + given->to_string(mesh) + "; expected " + own.to_string(mesh) +
                   ", that of the communicator of the queue " + queue);
}

void FieldSlots::precision(SumPrecision& value) {
  add("precision", [this, &value] { take_precision(value); });
  slots_.back().optional = true;
}

void FieldSlots::take_precision(SumPrecision& value) {
  const Word word = reader_.expect_kind(TokenKind::name, "f32 or native");
  for (const auto& row : kSumPrecisions) {
    if (row.name == word.text) value = row.value;
  }
  if (value == SumPrecision::unspecified) {
    reader_.fail("E-field-value", word.span,
                 "the field `precision` is " + scope_.quote(word.span) + "; expected f32 or native");
  }
}

FieldSlots::Slot& FieldSlots::find(const Word& name, const Word& op) {
  std::vector<std::string> known;
  for (Slot& slot : slots_) {
    known.push_back(slot.name);
    if (slot.name != name.text) continue;
    if (!slot.given) return slot;
    reader_.fail("E-field", name.span, op.text + ": the field `" + name.text + "` is given twice");
  }
  reader_.fail("E-field", name.span,
               op.text + " has no field `" + name.text + "`" + suggestion(name.text, known, "", "fields"));
}

void FieldSlots::read(const Word& op) {
  reader_.expect("{", "and the fields of " + op.text);
  for (bool first = true; !reader_.accept("}"); first = false) {
    if (!first) reader_.expect(",", "or `}` after the field");
    const Word name = reader_.expect_kind(TokenKind::name, "a field, as in {dim=0}");
    Slot& slot = find(name, op);
    reader_.expect("=", "after the field's name");
    slot.given = true;
    slot.take();
  }
  const auto missing =
      std::find_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return !slot.given && !slot.optional; });
  if (missing == slots_.end()) return;
  reader_.fail("E-field", op.span, op.text + " needs the field `" + missing->name + "`");
}

}  // namespace isoshard::text
