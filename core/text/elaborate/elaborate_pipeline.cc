// Pipelines of a file, where a program applies them.
// An item `pipeline` has no meaning until a program applies it: it then becomes the op of the same name, with its
// funcs, fields and the arguments of `call` or `grad` (docs/language.md, "Pipelines"). A file of actions is read beside
// the source and checked here, because errors can still name its lines; the op holds the actions as text. The number of
// stages must be a multiple of that of the ranks of the axis, and becomes the stages per rank.

#include <algorithm>
#include <utility>

#include "core/schedule/schedules.h"
#include "core/support/result.h"
#include "core/text/elaborate/elaboration.h"
#include "core/text/elaborate/imports.h"
#include "core/text/elaborate/numbers.h"

namespace isoshard::text {
namespace {

/// The field of that name, null where it is not written.
const FieldSyntax* find_field(const std::vector<FieldSyntax>& fields, std::string_view name) {
  const auto field = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name.text == name; });
  return field == fields.end() ? nullptr : &*field;
}

/// False after an error: an item says with `stages` how many there are.
bool check_stages_per_rank(const PipelineSyntax& pipeline, const OpSyntax& applied, const Scope& scope) {
  for (const std::vector<FieldSyntax>* fields : {&pipeline.fields, &applied.fields}) {
    const FieldSyntax* field = find_field(*fields, "stages_per_rank");
    if (field == nullptr) continue;
    scope.error("E-field", field->name.span,
                "pipeline @" + pipeline.name.text +
                    ": `stages_per_rank` follows from `stages` and the size of the axis; leave it out");
    return false;
  }
  return true;
}

/// Where the stages stand: as many on each rank of the axis. Nothing after an error.
std::optional<schedule::Placement> placement_of(const PipelineSyntax& pipeline, const OpSyntax& applied,
                                                const Scope& scope) {
  const std::optional<int64_t> stages = read_integer(*pipeline.stages, scope);
  const FieldSyntax& axis = *find_field(pipeline.fields, "axis");
  const std::optional<AxisId> id = scope.axis(Word{axis.value.expression->text, axis.value.span});
  if (!stages || !id) return std::nullopt;
  const int64_t ranks = scope.mesh().axis(*id).size;
  if (*stages < 1 || *stages % ranks != 0) {
    scope.error("V-schedule", pipeline.stages->span,
                "pipeline @" + pipeline.name.text + " has " + std::to_string(*stages) + " stages over `" +
                    axis.value.expression->text + "` of size " + std::to_string(ranks) +
                    "; expected as many on each rank, a multiple of " + std::to_string(ranks));
    return std::nullopt;
  }
  // A word that is no style is reported when the op is read.
  const FieldSyntax* style = find_field(pipeline.fields, "placement");
  if (style == nullptr) style = find_field(applied.fields, "placement");
  const bool is_v = style != nullptr && style->value.expression->text == "v";
  return schedule::Placement{ranks, *stages / ranks, is_v ? schedule::Style::v : schedule::Style::loop};
}

/// False after an error, at the cell of `source` that keeps `lists` from being a schedule of the pipeline.
bool check_actions(const PipelineSyntax& pipeline, const schedule::Placement& placement,
                   const schedule::ActionLists& lists, const std::shared_ptr<const SourceFile>& source,
                   const Scope& scope, DiagnosticSink& sink) {
  const FieldSyntax* field = find_field(pipeline.fields, "microbatches");
  if (field == nullptr || field->value.kind != FieldValue::Kind::expression) return true;  // the op says what it needs
  const std::optional<int64_t> micro_batches = read_integer(*field->value.expression, scope);
  if (!micro_batches) return false;
  const std::optional<schedule::ScheduleError> error = schedule::schedule_error(lists, placement, *micro_batches);
  if (!error) return true;
  const schedule::Cell place = error->cell.value_or(schedule::Cell{});
  sink.error("V-schedule", schedule::location_of(place, source), error->message);
  return false;
}

/// The actions of a file as the value of the field `actions`.
std::optional<FieldSyntax> read_actions(const Elaboration& elaboration, const PipelineSyntax& pipeline,
                                        const schedule::Placement& placement, const Scope& scope) {
  const Word& file = *pipeline.file;
  const Result<std::shared_ptr<const SourceFile>> source = read_source(beside(*elaboration.scope.file, file.text));
  if (!source) {
    scope.error(source.error().rule, file.span, source.error().message);
    return std::nullopt;
  }
  const Result<schedule::ActionLists> lists = schedule::parse_csv(*source);
  if (!lists) {
    elaboration.scope.sink.add(lists.error());
    return std::nullopt;
  }
  if (!check_actions(pipeline, placement, *lists, *source, scope, elaboration.scope.sink)) return std::nullopt;
  FieldSyntax field;
  field.name = Word{"actions", file.span};
  field.value.kind = FieldValue::Kind::string;
  field.value.span = file.span;
  field.value.text = schedule::to_csv(*lists);
  if (!field.value.text.empty()) field.value.text.pop_back();
  std::replace(field.value.text.begin(), field.value.text.end(), '\n', ';');
  return field;
}

/// The field `stages_per_rank`, written where `stages` is.
FieldSyntax stages_per_rank(const PipelineSyntax& pipeline, int64_t number) {
  FieldSyntax field;
  field.name = Word{"stages_per_rank", pipeline.stages->span};
  field.value.kind = FieldValue::Kind::expression;
  field.value.span = pipeline.stages->span;
  field.value.expression.own().text = std::to_string(number);
  field.value.expression.own().span = pipeline.stages->span;
  return field;
}

}  // namespace

std::optional<OpSyntax> elaborate_pipeline(const Elaboration& elaboration, const PipelineSyntax& pipeline,
                                           const OpSyntax& applied, const Scope& scope) {
  if (!check_stages_per_rank(pipeline, applied, scope)) return std::nullopt;
  const std::optional<schedule::Placement> placement = placement_of(pipeline, applied, scope);
  if (!placement) return std::nullopt;
  OpSyntax op = applied;
  op.op.text = "pipeline";
  op.form.own().target = pipeline.stage;
  op.form.own().loss = pipeline.loss;
  op.fields.insert(op.fields.end(), pipeline.fields.begin(), pipeline.fields.end());
  if (placement->per_rank > 1) op.fields.push_back(stages_per_rank(pipeline, placement->per_rank));
  if (!pipeline.file) return op;
  std::optional<FieldSyntax> actions = read_actions(elaboration, pipeline, *placement, scope);
  if (!actions) return std::nullopt;
  op.fields.push_back(std::move(*actions));
  return op;
}

}  // namespace isoshard::text
