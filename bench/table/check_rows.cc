#include <string>

#include "bench/table/measure/plan_runs.h"
#include "bench/table/measure/whole_processes.h"
#include "bench/table/table.h"

namespace isoshard::bench {
namespace {

constexpr const char* kStart = "start to verdict, values and gradients, 128 x 512 x 2048, 8 devices, two lanes";

std::string program(const char* name) { return path_of({name, {}, {}}); }

std::string example(const char* name) { return std::string(ISOSHARD_SOURCE) + "/examples/" + name + ".shard"; }

struct VerdictRow {
  const char* collectives;
  const char* silu;  ///< `formula` needs rung E
  bool wrong;
  double milliseconds;
  const char* limit;
};

Row verdict_row(const VerdictRow& row, Scale scale) {
  std::string settings = std::string("collectives=") + row.collectives + ",silu_as=" + row.silu;
  if (row.wrong) settings += ",bias=wrong";
  if (scale == Scale::quick) settings += ",b=2,d=8,f=16";
  const bool tower = std::string(row.silu) == "formula";
  const std::string name =
      std::string(row.collectives) + ", rung " + (tower ? "E" : "A") + (row.wrong ? ", NOT EQUAL" : "");
  const Command command{{"check", "-q", "--lanes", "2", program("tp_mlp_step"), "--set", settings}, row.wrong ? 1 : 0};
  return {kStart, name, at_most(row.milliseconds, "ms"), row.limit, tower ? "minutes, 0.8 GB" : "a minute", 120, [=] {
            return process_time(command, 1e3);
          }};
}

Row command_row(const char* subject, const char* name, Target target, std::string cost,
                std::vector<std::string> words) {
  const double unit = target.unit == "ms" ? 1e3 : 1;
  words.insert(words.begin(), {"check", "-q"});
  return {subject, name, std::move(target), "", std::move(cost), 120, [words = std::move(words), unit] {
            return process_time({words, 0}, unit);
          }};
}

Rows start_rows(Scale scale) {
  constexpr VerdictRow kVerdicts[] = {
      {"gathered", "logistic", false, 100, "21 ms"}, {"ring", "logistic", false, 100, "21 ms"},
      {"gathered", "formula", false, 400, "270 ms"}, {"ring", "formula", false, 400, "270 ms"},
      {"gathered", "logistic", true, 300, ""},       {"ring", "logistic", true, 300, ""},
      {"gathered", "formula", true, 1200, ""},       {"ring", "formula", true, 1200, ""}};
  Rows rows;
  for (const VerdictRow& row : kVerdicts) rows.push_back(verdict_row(row, scale));
  rows.push_back(command_row("start to verdict, small", "check examples/tp_mlp.shard", at_most(15, "ms"), "",
                             {example("tp_mlp")}));
  return rows;
}

Row corpus_row(Scale scale) {
  const int count = scale == Scale::quick ? 2 : -1;
  return {"JAX programs of the corpus",      "import, both twins and verdict of 68 pairs", at_most(6, "s"), "", "", 120,
          [=] { return corpus_time(count); }};
}

/// All values of integers at once, beside one evaluation of the same program.
Row tables_row(Scale scale) {
  const std::string sizes = scale == Scale::quick ? "tokens=4,vocab=16,d=2" : "tokens=64,vocab=128";
  Target target = at_most(20, "x", 500);
  const Command all{{"check", "-q", program("soft_tables"), "--set", sizes}, 0};
  const Command one{{"sim", "-q", "--domain", "ring", program("soft_tables"), "--set", sizes}, 0};
  return {"tables of soft integers",
          "embedding and cross entropy of 64 tokens, vocabulary 128, 8 devices, against `sim`",
          target,
          "",
          "",
          120,
          [=] { return process_over_process(all, one); }};
}

}  // namespace

Rows check_rows(Scale scale) {
  const bool quick = scale == Scale::quick;
  Rows rows = start_rows(scale);
  rows.push_back(corpus_row(scale));
  rows.push_back(command_row(
      "training step", "check train_step: 12 layers, tp=4 pp=2 dp=2 fsdp, accumulation 4, two AdamW steps",
      at_most(8, "s", 1000), "half a minute",
      {"train_step", "--mesh", quick ? "dp=1,pp=2,tp=2" : "dp=2,pp=2,tp=4", "--set",
       quick ? "model=transformer,layers=2,accumulate=1,zero=3"
             : "model=transformer,layers=12,accumulate=4,width=64,vocab=128,s=16,heads=4,head_dim=16,hidden=256,"
               "optimizer=adamw,zero=3"}));
  rows.push_back(command_row("transformer stack", "check of 32 layers in a scan, data=2 model=8, width 64",
                             at_most(1, "s", 300), "minutes",
                             {"tp_transformer_block", "--mesh", quick ? "data=1,model=2" : "data=2,model=8", "--set",
                              quick ? "layers=2" : "layers=32,width=64"}));
  rows.push_back(command_row("sweep", "check tp_attention --sweep of 10,000 meshes", at_most(12, "s"),
                             "would take hours",
                             {"tp_attention", "--sweep", quick ? "data=1..2,model=1..2" : "data=1..100,model=1..100"}));
  rows.push_back(tables_row(scale));
  rows.push_back(command_row("lists of ring functions", "check async_gather, 512 devices", at_most(0.5, "s"), "3 GB",
                             {"async_gather", "--mesh", quick ? "tp=4" : "tp=512"}));
  rows.push_back(command_row("lists of ring functions", "check async_gather, 4096 devices", at_most(15, "s"),
                             "as much memory as there is", {"async_gather", "--mesh", quick ? "tp=8" : "tp=4096"}));
  return rows;
}

}  // namespace isoshard::bench
