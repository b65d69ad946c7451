// Counts the instructions of a run, their elements and products, without doing any (docs/adr/0089-limits.md): a loop of
// 10^9 iterations is one line of a file, and hours of a run. The time that follows from the counts is what the steps of
// an engine, the writes of elements and products took on one machine; it serves to say beforehand that something is
// long, and may be wrong by a factor of a few. Cost: one visit per instruction, however often it runs.
#include "sim/run/work_estimate.h"

#include <algorithm>
#include <cstdio>

#include "core/plan/flops.h"

namespace isoshard::sim {
namespace {

/// Seconds of one thread: measured with small loops, elementwise ops and products of matrices, rounded up.
constexpr double kPerInstruction = 1e-6, kPerElement = 2e-9, kPerProduct = 5e-10;

double elements_written(const Plan& plan, const Instruction& instruction) {
  double count = 0;
  for (const PlanValueId id : instruction.results) {
    double elements = 1;
    for (const int64_t size : plan.value(id).type().shape) elements *= static_cast<double>(size);
    count += elements;
  }
  return count;
}

/// The work of a list of blocks on one device, and the loop of it that has most instructions.
struct BlockWork {
  WorkEstimate work;
  const Repeat* longest = nullptr;
  double longest_instructions = 0;

  void add(const WorkEstimate& more) {
    work.instructions += more.instructions;
    work.elements += more.elements;
  }
};

BlockWork counted_work(const Plan& plan, const std::vector<Block>& blocks) {
  BlockWork result;
  for (const Block& block : blocks) {
    if (block.repeat) {
      WorkEstimate body = counted_work(plan, block.repeat->body).work;
      body.instructions += 1;
      const WorkEstimate loop = body.times(static_cast<double>(block.repeat->count));
      result.add(loop);
      if (loop.instructions > result.longest_instructions) {
        result.longest = &*block.repeat;
        result.longest_instructions = loop.instructions;
      }
    }
    for (const Queue& queue : block.queues) {
      for (const InstructionId id : queue.instructions) {
        result.add({1, elements_written(plan, plan.instruction(id)), 0});
      }
    }
  }
  return result;
}

std::string count_of_work(double count) {
  char text[40];
  std::snprintf(text, sizeof text, count < 1e7 ? "%.0f" : "%.3g", count);
  return text;
}

}  // namespace

double WorkEstimate::seconds() const {
  return instructions * kPerInstruction + elements * kPerElement + products * kPerProduct;
}

WorkEstimate estimate_work(const Plan& plan) {
  WorkEstimate total;
  for (const RankGroup& group : plan.groups) {
    const double ranks = static_cast<double>(group.size(*plan.mesh));
    const WorkEstimate one = counted_work(plan, group.blocks).work;
    total.instructions += ranks * one.instructions;
    total.elements += ranks * one.elements;
  }
  total.products = matmul_flops(plan) / 2;
  return total;
}

std::optional<Diagnostic> exceeds_instructions(const Plan& plan, int64_t steps) {
  const double total = estimate_work(plan).instructions * static_cast<double>(steps);
  if (total <= kMostInstructions) return std::nullopt;
  const Repeat* longest = nullptr;
  double most = 0;
  for (const RankGroup& group : plan.groups) {
    const BlockWork work = counted_work(plan, group.blocks);
    if (work.longest_instructions <= most) continue;
    longest = work.longest;
    most = work.longest_instructions;
  }
  const int64_t devices = plan.mesh->device_count();
  std::string message = "@" + plan.program + " on " + std::to_string(devices) +
                        (devices == 1 ? " device" : " virtual devices") + " runs " + count_of_work(total) +
                        " instructions";
  if (steps > 1) message += " in " + std::to_string(steps) + " steps";
  if (longest != nullptr)
    message += ", most of them in a loop of " + count_of_work(static_cast<double>(longest->count)) + " iterations";
  message += "; expected at most " + count_of_work(kMostInstructions) + ": try fewer iterations, devices or steps";
  return Diagnostic{Severity::error, "E-limit", longest == nullptr ? Location() : longest->location, message, {}};
}

}  // namespace isoshard::sim
