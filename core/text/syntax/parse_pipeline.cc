// The item `pipeline`.

#include <utility>

#include "core/text/syntax/parser.h"

namespace isoshard::text {
namespace {

constexpr const char* kForm =
    "a field of the pipeline: stage=@s, stages=EXPR over AXIS, microbatches=EXPR, loss=@l, schedule=\"1F1B\", or "
    "actions \"file.csv\"";

void parse_func(TokenReader& reader, Word& func) {
  const std::string field(reader.take().text);
  reader.expect("=", "after `" + field + "`");
  func = reader.expect_kind(TokenKind::global, "a func, as in " + field + "=@f");
}

/// `stages=EXPR over pp`.
void parse_stages(TokenReader& reader, PipelineSyntax& pipeline) {
  reader.take();
  reader.expect("=", "after `stages`");
  pipeline.stages = parse_expression(reader);
  if (!reader.is_word("over")) reader.fail_expected("`over` and the axis, as in stages=size(pp) over pp");
  const Span span = reader.take().span;
  FieldSyntax axis;
  axis.name = Word{"axis", span};
  Expr& name = axis.value.expression.own();
  name.kind = Expr::Kind::name;
  const Word word = reader.expect_kind(TokenKind::name, "an axis, as in stages=size(pp) over pp");
  name.text = word.text;
  name.span = axis.value.span = word.span;
  pipeline.fields.push_back(std::move(axis));
}

void parse_pipeline_field(TokenReader& reader, PipelineSyntax& pipeline) {
  if (reader.is_word("stage")) return parse_func(reader, pipeline.stage);
  if (reader.is_word("loss")) return parse_func(reader, pipeline.loss);
  if (reader.is_word("stages")) return parse_stages(reader, pipeline);
  FieldSyntax field;
  field.name = reader.expect_kind(TokenKind::name, kForm);
  if (field.name.text == "actions" && reader.peek().kind == TokenKind::string) {
    const Token& file = reader.take();
    if (pipeline.file) {
      return reader.fail("E-field", field.name.span, "pipeline @" + pipeline.name.text + ": `actions` is given twice");
    }
    pipeline.file = Word{std::string(file.text), file.span};
    return;
  }
  reader.expect("=", "after the field's name");
  field.value = parse_field_value(reader);
  pipeline.fields.push_back(std::move(field));
}

}  // namespace

PipelineSyntax parse_pipeline_item(TokenReader& reader) {
  PipelineSyntax pipeline;
  pipeline.name = reader.expect_kind(TokenKind::global, "a name, as in `pipeline @p {stage=@s, ...}`");
  reader.expect("{", "and the fields of the pipeline");
  do {
    parse_pipeline_field(reader, pipeline);
  } while (reader.accept(","));
  reader.expect("}", "or `,` after the field");
  const char* const missing = pipeline.stage.text.empty()  ? "stage=@s"
                              : pipeline.loss.text.empty() ? "loss=@l"
                              : !pipeline.stages           ? "stages=EXPR over AXIS"
                                                           : nullptr;
  if (missing != nullptr) {
    reader.fail("E-field", pipeline.name.span, "pipeline @" + pipeline.name.text + " needs the field " + missing);
  }
  return pipeline;
}

}  // namespace isoshard::text
