// Pipelines of a file, where a program applies them.
// An item `pipeline` has no meaning until a program applies it: it then becomes the op of the same name, with its
// funcs, fields and the arguments of `call` or `grad` (docs/language.md, "Pipelines"). A file of actions is read beside
// the source and checked here, because errors can still name its lines; the op holds the actions as text. One stage per
// rank of the axis is required.

#include <algorithm>
#include <utility>

#include "core/schedule/schedules.h"
#include "core/support/result.h"
#include "core/text/elaborate/elaboration.h"
#include "core/text/elaborate/numbers.h"

namespace isoshard::text {
namespace {

/// `path` beside the file that names it.
std::string beside(const SourceFile& file, const std::string& path) {
  const size_t folder = file.name.rfind('/');
  return path.starts_with("/") || folder == std::string::npos ? path : file.name.substr(0, folder + 1) + path;
}

/// False after an error, at the cell of `source` that keeps `lists` from being a schedule of the pipeline.
bool check_actions(const PipelineSyntax& pipeline, const schedule::ActionLists& lists,
                   const std::shared_ptr<const SourceFile>& source, const Scope& scope, DiagnosticSink& sink) {
  const auto field = std::find_if(pipeline.fields.begin(), pipeline.fields.end(),
                                  [](const FieldSyntax& f) { return f.name.text == "microbatches"; });
  if (field == pipeline.fields.end() || field->value.kind != FieldValue::Kind::expression) {
    return true;  // the op says what it needs
  }
  const std::optional<int64_t> stages = read_integer(*pipeline.stages, scope);
  const std::optional<int64_t> micro_batches = read_integer(field->value.expression, scope);
  if (!stages || !micro_batches) return false;
  const std::optional<schedule::ScheduleError> error = schedule::schedule_error(lists, *stages, *micro_batches);
  if (!error) return true;
  const schedule::Cell place = error->cell.value_or(schedule::Cell{});
  sink.error("V-schedule", schedule::location_of(place, source), error->message);
  return false;
}

/// The actions of a file as the value of the field `actions`.
std::optional<FieldSyntax> read_actions(const Elaboration& elaboration, const PipelineSyntax& pipeline,
                                        const Scope& scope) {
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
  if (!check_actions(pipeline, *lists, *source, scope, elaboration.scope.sink)) return std::nullopt;
  FieldSyntax field;
  field.name = Word{"actions", file.span};
  field.value.kind = FieldValue::Kind::string;
  field.value.span = file.span;
  field.value.text = schedule::to_csv(*lists);
  if (!field.value.text.empty()) field.value.text.pop_back();
  std::replace(field.value.text.begin(), field.value.text.end(), '\n', ';');
  return field;
}

bool check_stages(const PipelineSyntax& pipeline, const Scope& scope) {
  const std::optional<int64_t> stages = read_integer(*pipeline.stages, scope);
  const FieldSyntax& axis = *std::find_if(pipeline.fields.begin(), pipeline.fields.end(),
                                          [](const FieldSyntax& f) { return f.name.text == "axis"; });
  const std::optional<AxisId> id = scope.axis(Word{axis.value.expression.text, axis.value.span});
  if (!stages || !id) return false;
  const int64_t ranks = scope.mesh().axis(*id).size;
  if (*stages == ranks) return true;
  scope.error("V-schedule", pipeline.stages->span,
              "pipeline @" + pipeline.name.text + " has " + std::to_string(*stages) + " stages over `" +
                  axis.value.expression.text + "` of size " + std::to_string(ranks) +
                  "; expected one stage per rank, other placements are not supported yet");
  return false;
}

}  // namespace

std::optional<OpSyntax> elaborate_pipeline(const Elaboration& elaboration, const PipelineSyntax& pipeline,
                                           const OpSyntax& applied, const Scope& scope) {
  if (!check_stages(pipeline, scope)) return std::nullopt;
  OpSyntax op = applied;
  op.op.text = "pipeline";
  op.target = pipeline.stage;
  op.loss = pipeline.loss;
  op.fields.insert(op.fields.end(), pipeline.fields.begin(), pipeline.fields.end());
  if (!pipeline.file) return op;
  std::optional<FieldSyntax> actions = read_actions(elaboration, pipeline, scope);
  if (!actions) return std::nullopt;
  op.fields.push_back(std::move(*actions));
  return op;
}

}  // namespace isoshard::text
