#pragma once  // internal

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "parallel/module/body_params.h"
#include "parallel/pipelines/pipeline.h"

/// What the schedules of pipelines share: how a batch enters, and the module of a stage in a scan over iterations.
namespace isoshard {

/// C-pipeline, in the name of the function `called`.
ValueId pipeline_error(ModelBuilder& m, const std::string& called, const std::string& message,
                       const Location& location);

/// x, V over `axis`, where its rows can be cut into the micro-batches; invalid after an error (C-pipeline).
ValueId pipeline_input(ModelBuilder& m, const std::string& called, const Pipeline& pipeline, ValueId x,
                       const Location& location);
/// x[batch, ..] -> [micro-batches, rows, ..].
ValueId micro_batches_of(ModelBuilder& m, ValueId x, int64_t count, const Location& location);
/// What the last iterations give, one micro-batch each: [iterations, rows, ..] -> [batch, ..].
ValueId joined_outputs(ModelBuilder& m, ValueId outputs, int64_t micro_batches, const std::string& name,
                       const Location& location);

/// The module of a stage, which reads nothing of the program around the scan but what it carries.
class PipelineBody {
 public:
  /// `inside` is the scope of one iteration in `self`. Nothing after an error: C-pipeline where a micro-batch of x
  /// comes out in another dtype or shape.
  static std::optional<PipelineBody> find(const Scope& self, Scope inside, const std::string& called,
                                          const Pipeline& pipeline, const PipelineFn& module, ValueId x,
                                          const Location& location);

  /// Of a micro-batch.
  const TensorType& type() const { return found_.result; }
  const BodyParams& found() const { return found_; }

  /// Adds what all iterations see, behind the carries that are there: `params` as they stand outside, kwargs and the
  /// key of `params`; and the keys of `dropout`, one an iteration, as the last stacked operand.
  void add_operands(ScanOperands& operands, const std::vector<ValueId>& params, int64_t iterations);
  /// What one iteration carries of `params`.
  std::vector<ValueId> params(const ScanArguments& in) const;
  /// The place of the module in an iteration in which its parameters are these.
  Scope scope(const ScanArguments& in, const std::vector<ValueId>& params) const;
  /// The module with the kwargs of an iteration, and behind them the number of its micro-batch where it takes that.
  ModuleFn module(const ScanArguments& in, ValueId number) const;

 private:
  PipelineBody(const Scope& self, Scope inside, const Pipeline& pipeline, const PipelineFn& module, Location location);

  Scope self_, inside_;
  const Pipeline& pipeline_;
  const PipelineFn& module_;
  Location location_;
  std::map<std::string, ValueId> keys_;
  BodyParams found_{};
  std::ptrdiff_t first_ = 0;  ///< the carry of the first parameter
};

}  // namespace isoshard
