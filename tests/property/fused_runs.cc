// Lists of calls as a CPU or a GPU runs them, one call after another, for tests that compare fused calls with others.
// Of a fused kernel the arrays that its call names are all that it may touch: these are told to the watch, and to it
// alone a mistake that the test plants is done. Cost: that of the kernels.
#include "tests/property/fused_runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "core/plan/calls/writing/make_call_list.h"
#include "core/plan/passes/lower.h"
#include "core/support/diagnostic.h"
#include "core/support/result.h"
#include "core/text/text.h"
#include "exec/kernels/launch.h"
#include "tests/property/kernel_memory.h"

namespace isoshard::testing {
namespace {

/// A product of f32 element by element, each written when it is made: adding in f32 before or behind writing a sum to
/// memory gives the same bits.
void multiply(const calls::Product& p, std::byte* memory) {
  const auto at = [&](calls::Place place, int64_t element) {
    return reinterpret_cast<float*>(memory + place) + element;
  };
  const auto of = [&](const calls::Product::Matrix& m, int64_t row, int64_t column) {
    return *at(m.place, m.transposed ? column * m.row + row : row * m.row + column);
  };
  ASSERT_EQ(p.batch, 1);
  for (int64_t i = 0; i < p.m; ++i) {
    for (int64_t j = 0; j < p.n; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < p.k; ++k) sum += of(p.a, i, k) * of(p.b, k, j);
      if (p.epilogue == calls::Epilogue::bias) sum += *at(p.added, j);
      if (p.epilogue == calls::Epilogue::residual) sum += *at(p.added, i * p.c.row + j);
      *at(p.c.place, i * p.c.row + j) = std::isnan(sum) ? std::numeric_limits<float>::quiet_NaN() : sum;
    }
  }
}

std::vector<std::byte> beginning_of(const Plan& plan, const calls::CallList& list, Dice dice) {
  std::vector<std::byte> memory(static_cast<size_t>(list.bytes) + 64, std::byte{0xff});
  for (const calls::HeldBox& input : list.inputs) {
    const TensorType& type = plan.globals[input.of].type;
    for (int64_t i = 0; i < element_count(type.shape); ++i) {
      const auto integer = static_cast<int32_t>(dice.in(-9, 9));
      const float number = static_cast<float>(integer) / 4;
      std::byte* const at = memory.data() + input.place + i * static_cast<int64_t>(info(type.dtype).bytes);
      if (type.dtype == DType::i32) std::memcpy(at, &integer, 4);
      if (type.dtype == DType::f32) std::memcpy(at, &number, 4);
      if (const double wide = number; type.dtype == DType::f64) std::memcpy(at, &wide, 8);
      if (type.dtype == DType::bf16) std::memcpy(at, reinterpret_cast<const char*>(&number) + 2, 2);
    }
  }
  return memory;
}

#if defined(ISOSHARD_WATCHED)

std::string watched;

void tell(const calls::Array& array, const int64_t* size, int dims, std::byte* memory, const std::string& name) {
  int64_t first = 0, last = 0;
  for (int d = 0; d < dims; ++d) (array.stride[d] < 0 ? first : last) += array.stride[d] * (size[d] - 1);
  const auto bytes = static_cast<int64_t>(info(array.dtype).bytes);
  exec::Watch::get().tell(memory + array.place + first * bytes, (last - first + 1) * bytes, name);
}

void tell(const calls::ReducedMap& call, std::byte* memory) {
  const calls::Map& map = call.map;
  for (int i = 0; i < map.inputs_used; ++i) {
    tell(map.inputs[i], map.size, map.dims, memory, "input " + std::to_string(i));
  }
  if (call.stores != 0) tell(map.output, map.size, map.dims, memory, "the terms");
  int64_t outputs = 1;
  for (int d = 0; d < call.kept; ++d) outputs *= map.size[d];
  calls::Array output{call.output, map.output.dtype, {1}};
  if (call.chunks_apart != 0) {
    outputs *= (call.terms + calls::kChunkTerms - 1) / calls::kChunkTerms;
    output.dtype = map.compute == calls::Compute::f32 ? DType::f32 : DType::f64;
  }
  tell(output, &outputs, 1, memory, "the output");
}

void tell(const calls::RowMap& call, std::byte* memory) {
  for (int i = 0; i < call.inputs_used; ++i) {
    tell(call.inputs[i], call.size, call.dims, memory, "input " + std::to_string(i));
  }
  tell(call.output, call.size, call.per_row != 0 ? call.kept : call.dims, memory, "the output");
}

void tell(const calls::JoinChunks& call, std::byte* memory) {
  const int64_t chunks = call.outputs * call.chunks;
  const bool is_narrow = is_float(call.dtype) && call.dtype != DType::f64;
  tell({call.input, is_narrow ? DType::f32 : DType::f64, {1}}, &chunks, 1, memory, "chunks");
  tell({call.output, call.dtype, {1}}, &call.outputs, 1, memory, "the output");
}

template <class Call>
void launch(const Call& call, std::byte* memory) {
  if constexpr (requires { tell(call, memory); }) {
    tell(call, memory);
    exec::launch(call, memory, nullptr);
    const std::string found = exec::Watch::get().finding();
    if (watched.empty()) watched = found;
    exec::Watch::get().clear();
  } else {
    const exec::Trial trial = std::exchange(exec::trial(), {});
    exec::launch(call, memory, nullptr);
    exec::trial() = trial;
  }
}
std::string take_watched() { return std::exchange(watched, ""); }

#else

template <class Call>
void launch(const Call& call, std::byte* memory) {
  exec::launch(call, memory, nullptr);
}
std::string take_watched() { return ""; }

#endif

void issue(const calls::Call& call, std::span<std::byte> bytes) {
  std::visit(
      [&]<class What>(const What& what) {
        if constexpr (requires { exec::launch(what, bytes.data(), nullptr); }) {
          KernelMemory memory(bytes);
          launch(what, memory.begin());
          memory.take_back();
        } else if constexpr (std::is_same_v<What, calls::Product>) {
          multiply(what, bytes.data());
        } else {
          EXPECT_TRUE((std::is_same_v<What, calls::Record> || std::is_same_v<What, calls::Wait>));
        }
      },
      call.what);
}

}  // namespace

std::optional<Plan> plan_of(const std::string& text) {
  const auto file = std::make_shared<SourceFile>(SourceFile{"fused.shard", text});
  DiagnosticSink sink;
  const std::optional<Module> module = text::parse_module(file, {}, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d) << text;
  if (!module) return std::nullopt;
  return lower(*module, module->find_program("p").value());
}

calls::CallList list_of(const Plan& plan, const MemoryPlan& memory, bool fuse, calls::Products products) {
  calls::CallOptions options{products, fuse};
  return calls::make_call_list(plan, memory, 0, options).value();
}

std::vector<std::byte> run(const Plan& plan, const calls::CallList& list, Dice dice) {
  std::vector<std::byte> memory = beginning_of(plan, list, dice), outputs;
  for (const calls::Call& call : list.calls) issue(call, memory);
  for (const calls::HeldBox& box : list.outputs) {
    const TensorType& type = plan.outputs[box.of].type;
    const int64_t bytes = element_count(type.shape) * static_cast<int64_t>(info(type.dtype).bytes);
    outputs.insert(outputs.end(), memory.begin() + box.place, memory.begin() + box.place + bytes);
  }
  return outputs;
}

std::string take_finding() {
  std::string failure = take_kernel_failure(), found = take_watched();
  return failure.empty() ? found : failure;
}

std::string rows(const std::string& dtype, int64_t columns, const std::string& ops, const std::string& returned) {
  const std::string size = std::to_string(columns);
  return "isoshard 1\nmesh @m [x=1]\nglobal @x : " + dtype + "[6, " + size +
         "] input\nprogram @p on @m {\n  %x = view @x [-, -]\n" + ops + "  return @y = %y " + returned + "\n}\n";
}

std::string along_rows(const std::string& name, const std::string& of, int64_t columns) {
  return "  %" + name + " = broadcast_in_dim %" + of + " {dims=[0], shape=[6, " + std::to_string(columns) + "]}\n";
}

}  // namespace isoshard::testing
