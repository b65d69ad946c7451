// Runs the calls of a local op in poisoned memory and compares with the simulator. Operands pass through the simulator
// first, so that a nan is the one that it has. Cost: that of the op in both.
#include "tests/property/local_calls_run.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/ir/module.h"
#include "core/support/result.h"
#include "exec/kernels/launch.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/evaluate/evaluate.h"
#include "tests/property/kernel_memory.h"

namespace isoshard::testing {
namespace {

constexpr std::byte kPoison{0xa5};
constexpr int64_t kGap = 64;

/// Bytes of a rank, of which parts are given away.
class Memory {
 public:
  explicit Memory(int64_t shift) : shift_(shift) {}

  calls::Place reserve(DType dtype, int64_t bytes) {
    const calls::Place place = size_ + kGap + shift_ * static_cast<int64_t>(info(dtype).bytes);
    size_ = (place + bytes + kGap - 1) / kGap * kGap;
    return place;
  }
  void fill() {
    storage_ = allocate_aligned(static_cast<size_t>(size_ + kGap));
    std::fill_n(storage_.get(), size_ + kGap, kPoison);
  }
  std::byte* at(calls::Place place) { return storage_.get() + place; }
  std::span<std::byte> bytes() { return {storage_.get(), static_cast<size_t>(size_ + kGap)}; }
  std::vector<std::byte> all() { return {bytes().begin(), bytes().end()}; }

 private:
  int64_t shift_, size_ = 0;
  std::shared_ptr<std::byte> storage_;
};

void launch_all(const calls::LocalCalls& calls, std::span<std::byte> bytes) {
  KernelMemory memory(bytes);
  for (const calls::LocalCall& call : calls.calls) {
    std::visit(
        [&]<class Call>(const Call& c) {
          if constexpr (!std::is_same_v<Call, calls::Product> && !std::is_same_v<Call, calls::Fill>) {
            exec::launch(c, memory.begin(), nullptr);
          }
        },
        call);
  }
  memory.take_back();
}

std::vector<Tensor> simulated(const LocalCase& c, const std::vector<sim::Value>& operands,
                              const std::vector<TensorType>& types) {
  std::vector<const TensorType*> results;
  for (const TensorType& type : types) results.push_back(&type);
  std::vector<sim::Value> values(types.size());
  sim::evaluate(c.op, operands, results, sim::float_domain(), values);
  std::vector<Tensor> tensors;
  for (const sim::Value& value : values) tensors.push_back(to_tensor(value, sim::float_domain()));
  return tensors;
}

/// An op's arrays in memory.
struct Arrays {
  std::vector<TensorType> types;
  std::vector<calls::Held> held;

  void add(const TensorType& type, calls::Place place) {
    types.push_back(type);
    held.push_back(calls::Held{place, nullptr});
  }
  std::span<const calls::Held> all() {
    for (size_t i = 0; i < held.size(); ++i) held[i].type = &types[i];
    return held;
  }
};

int64_t bytes_of(const TensorType& type) {
  return element_count(type.shape) * static_cast<int64_t>(info(type.dtype).bytes);
}

#if defined(ISOSHARD_WATCHED)
void watch(Memory& memory, calls::Place place, int64_t bytes, const std::string& name) {
  exec::Watch::get().tell(memory.at(place), bytes, name);
}
std::string watched_finding() {
  std::string found = exec::Watch::get().finding();
  exec::Watch::get().clear();
  return found;
}
#else
void watch(Memory&, calls::Place, int64_t, const std::string&) {}
std::string watched_finding() { return ""; }
#endif

void watch(Memory& memory, std::span<const calls::Held> arrays, const std::string& name) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    watch(memory, arrays[i].place, bytes_of(*arrays[i].type), name + " " + std::to_string(i));
  }
}

std::string what_emulator_found() {
  std::string failure = take_kernel_failure(), found = watched_finding();
  return failure.empty() ? found : failure;
}

}  // namespace

Inferred result_types(const LocalCase& c) {
  std::vector<TensorType> types;
  for (const Tensor& x : c.operands) types.push_back(TensorType{x.dtype(), x.shape()});
  DiagnosticSink sink;
  const Module module;
  const Mesh mesh;
  return infer_types(c.op, InferContext(mesh, module, pointers_to(types), op_name(c.op), Location(), sink));
}

std::string difference(const LocalCase& c, const MemoryLayout& layout) {
  const std::vector<TensorType> types = *result_types(c);
  std::vector<sim::Value> values;
  std::vector<Tensor> operands;
  for (const Tensor& x : c.operands) {
    values.push_back(from_tensor(x, sim::float_domain()));
    operands.push_back(to_tensor(values.back(), sim::float_domain()));
  }
  Memory memory(layout.shift);
  Arrays from, to;
  for (const Tensor& x : operands) {
    from.add({x.dtype(), x.shape()}, memory.reserve(x.dtype(), static_cast<int64_t>(x.bytes().size())));
  }
  for (const TensorType& type : types) {
    to.add(type, layout.in_place ? from.held[0].place : memory.reserve(type.dtype, bytes_of(type)));
  }
  const int64_t most_chunks = std::holds_alternative<Reduce>(c.op) ? 64 : 1;
  const int64_t scratch_most = 8 * most_chunks * element_count(types[0].shape);
  const calls::Place scratch = memory.reserve(DType::f64, scratch_most);
  const Result<calls::LocalCalls> calls = local_calls(c.op, from.all(), to.all(), scratch, Location());
  if (!calls) return calls.error().message;
  if (calls->scratch_bytes > scratch_most) return "more scratch memory than expected";
  memory.fill();
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto bytes = operands[i].bytes();
    if (!bytes.empty()) std::memcpy(memory.at(from.held[i].place), bytes.data(), bytes.size());
  }
  std::vector<std::byte> expected = memory.all();
  watch(memory, from.all(), "operand");
  watch(memory, to.all(), "result");
  watch(memory, scratch, calls->scratch_bytes, "scratch");
  launch_all(*calls, memory.bytes());
  if (const std::string wrong = what_emulator_found(); !wrong.empty()) return wrong;
  const std::vector<Tensor> results = simulated(c, values, types);
  for (size_t i = 0; i < results.size(); ++i) {
    const auto bytes = results[i].bytes();
    if (!bytes.empty()) std::memcpy(expected.data() + to.held[i].place, bytes.data(), bytes.size());
  }
  std::vector<std::byte> found = memory.all();
  std::fill_n(found.begin() + scratch, calls->scratch_bytes, kPoison);
  const auto [at, other] = std::mismatch(found.begin(), found.end(), expected.begin());
  if (at == found.end()) return "";
  return "byte " + std::to_string(at - found.begin()) + ": " + std::to_string(static_cast<int>(*at)) + " and not " +
         std::to_string(static_cast<int>(*other)) + "; the result is at " + std::to_string(to.held[0].place);
}

std::string text_of(const LocalCase& c) {
  std::string text(op_name(c.op));
  for (const Tensor& x : c.operands) text += " " + to_string(x.dtype(), x.shape());
  if (const Inferred types = result_types(c)) text += " to " + to_string(types->front());
  return text;
}

}  // namespace isoshard::testing
