// A step as its caller sees it: whole arrays in, whole arrays out, and what steps hand on to the next as in sim.
// Globals are cut into the boxes of each rank; what no step updates is written once, since no call writes it. Of boxes
// that several ranks store the first is taken and all others must have its bits. A Plan stores no element twice but in
// equal boxes (L-output), so that boxes are found by their ranges. Cost: a copy of each box, and a look-up per box.
#include "exec/run/steps.h"

#include <map>

#include "exec/run/boxes.h"

namespace isoshard::exec {
namespace {

using Corners = std::pair<std::vector<int64_t>, std::vector<int64_t>>;

/// Element `index` of an array, as a scalar.
Tensor element_of(const WholeArray& whole, const std::vector<int64_t>& index) {
  const Tensor array = Tensor::from_bytes(whole.dtype, whole.shape, whole.bytes);
  IndexRange range{index, index};
  for (int64_t& end : range.end) ++end;
  std::vector<std::byte> bytes(info(whole.dtype).bytes);
  cut_box(array, range, bytes);
  return Tensor::from_bytes(whole.dtype, {}, bytes);
}

/// Puts the boxes of one output together.
class Assembly {
 public:
  Assembly(size_t output, const TensorType& type) : output_(output) {
    const size_t bytes = static_cast<size_t>(element_count(type.shape)) * info(type.dtype).bytes;
    whole_ = WholeArray{type.dtype, type.shape, std::vector<std::byte>(bytes)};
  }

  void add(size_t rank, const IndexRange& range, std::span<const std::byte> box, StepOutputs& result) {
    const auto [known, is_new] = first_.try_emplace(Corners{range.begin, range.end}, rank);
    if (is_new) return put_box(box, range, whole_);
    const std::optional<std::vector<int64_t>> index = first_difference(box, range, whole_);
    if (!index) return;
    WholeArray other = whole_;
    put_box(box, range, other);
    result.differences.push_back({output_, *index, static_cast<int64_t>(known->second), static_cast<int64_t>(rank),
                                  element_of(whole_, *index), element_of(other, *index)});
  }

  Tensor finish() const { return Tensor::from_bytes(whole_.dtype, whole_.shape, whole_.bytes); }

 private:
  size_t output_;
  WholeArray whole_;
  std::map<Corners, size_t> first_{};
};

}  // namespace

std::vector<bool> updated_globals(const Plan& plan) {
  std::vector<bool> updated(plan.globals.size(), false);
  for (const Output& output : plan.outputs) {
    if (output.updates.valid()) updated[output.updates.index()] = true;
  }
  return updated;
}

void lay_inputs_of(const Job& job, size_t rank, std::span<const Tensor> globals, bool all) {
  const std::vector<calls::HeldBox>& boxes = job.lists[rank].inputs;
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (all || job.updated[boxes[i].of]) cut_box(globals[boxes[i].of], boxes[i].range, job.desk->input(rank, i));
  }
}

void lay_inputs(const Job& job, std::span<const Tensor> globals, bool all) {
  for (size_t rank = 0; rank < job.lists.size(); ++rank) lay_inputs_of(job, rank, globals, all);
}

StepOutputs collect_outputs(const Job& job, const Plan& plan) {
  StepOutputs result;
  std::vector<Assembly> assemblies;
  for (size_t o = 0; o < plan.outputs.size(); ++o) assemblies.emplace_back(o, plan.outputs[o].type);
  for (size_t rank = 0; rank < job.lists.size(); ++rank) {
    const std::vector<calls::HeldBox>& boxes = job.lists[rank].outputs;
    for (size_t i = 0; i < boxes.size(); ++i)
      assemblies[boxes[i].of].add(rank, boxes[i].range, job.desk->output(rank, i), result);
  }
  for (const Assembly& assembly : assemblies) result.arrays.push_back(assembly.finish());
  return result;
}

Outcome<StepOutputs> run_step(Crew& crew, const Plan& plan, std::span<const Tensor> globals, bool all) {
  lay_inputs(crew.job(), globals, all);
  const Outcome<double> seconds = crew.step(all);
  if (!seconds) return tl::unexpected(seconds.error());
  StepOutputs result = collect_outputs(crew.job(), plan);
  result.seconds = *seconds;
  return result;
}

std::vector<Tensor> next_globals(const Plan& plan, std::vector<Tensor> globals, std::span<const Tensor> outputs) {
  for (size_t o = 0; o < plan.outputs.size(); ++o) {
    if (plan.outputs[o].updates.valid()) globals[plan.outputs[o].updates.index()] = outputs[o];
  }
  return globals;
}

}  // namespace isoshard::exec
