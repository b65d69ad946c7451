// A call list as text: the memory of the rank, its communicators, and a line for each call with its stream, what it
// does, on which places, and the instruction that it comes from. Places are named by their section and the bytes from
// its beginning, so that lists of ranks with the same work are the same text. Cost: the calls, times the sections.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "core/plan/calls/print_calls.h"
#include "core/plan/calls/step_names.h"

namespace isoshard::calls {
namespace {

/// Built by appending: g++ 12 warns wrongly about `"[" + text` (-Wstringop-overflow).
std::string together(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}
template <class Integer>
std::string digits(Integer value) {
  return std::to_string(value);
}

std::string sizes_text(std::span<const int64_t> sizes) {
  std::string text("[");
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (d != 0) text += ",";
    text += std::to_string(sizes[d]);
  }
  return text += "]";
}

std::string type_text(DType dtype, std::span<const int64_t> sizes) {
  std::string text(name(dtype));
  return text += sizes_text(sizes);
}

/// Sizes of a kernel's dimensions.
std::span<const int64_t> used(const int64_t (&sizes)[kMostDims], int32_t dims) {
  return std::span(sizes).first(static_cast<size_t>(dims));
}

bool is_dense(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] != 1 && strides[d] != stride) return false;
    stride *= sizes[d];
  }
  return true;
}

class CallPrinter {
 public:
  CallPrinter(const CallList& list, const Plan& plan) : list_(list), plan_(plan) {}

  std::string print() {
    for (const Section& section : list_.sections) {
      line("memory " + section.name, std::to_string(section.bytes) + " bytes at " + std::to_string(section.place));
    }
    for (const HeldBox& box : list_.inputs) line("input @" + plan_.globals[box.of].name, range_text(box));
    for (const HeldBox& box : list_.outputs) line("output @" + plan_.outputs[box.of].name, range_text(box));
    for (const Membership& m : list_.communicators) line("communicator " + m.name, membership_text(m));
    out_ += together(
        {"  ", digits(list_.tokens), " tokens, ", digits(list_.waits), " waits, ", digits(list_.events), " events\n"});
    for (const Call& call : list_.calls) print(call);
    return std::move(out_);
  }

 private:
  void line(const std::string& what, const std::string& text) { out_ += together({"  ", what, "  ", text, "\n"}); }

  std::string range_text(const HeldBox& box) const {
    return together({to_string(box.range), " at ", place_text(box.place)});
  }

  static std::string membership_text(const Membership& m) {
    if (m.color < 0) return "takes no part";
    return together({digits(m.index), " of ", digits(m.size), ", color ", digits(m.color)});
  }

  std::string place_text(Place place) const { return calls::place_text(place, list_); }

  void print(const Call& call) {
    const std::string text = std::visit([this](const auto& what) { return to_text(what); }, call.what);
    std::string origin("#");
    origin += std::to_string(call.origin.index()) + " " + plan_.instruction(call.origin).op();
    out_ += together({"  ", list_.streams[call.stream], ": ", text, "  // ", origin, "\n"});
  }

  std::string array_text(const Array& array, std::span<const int64_t> sizes) const {
    std::string text = together({place_text(array.place), " ", name(array.dtype)});
    if (!is_dense(sizes, std::span(array.stride).first(sizes.size()))) {
      text += together({" strides ", sizes_text(std::span(array.stride).first(sizes.size()))});
    }
    return text;
  }

  static std::string number_text(uint64_t bits, Compute compute) {
    char text[32];
    if (compute == Compute::f32) {
      std::snprintf(text, sizeof text, "%.9g", static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits))));
    } else if (compute == Compute::f64) {
      std::snprintf(text, sizeof text, "%.17g", std::bit_cast<double>(bits));
    } else {
      return compute == Compute::u64 ? digits(bits) : digits(static_cast<int64_t>(bits));
    }
    return text;
  }

  static std::string source_text(const Source& source, Compute compute) {
    switch (source.from) {
      case From::nowhere:
        return "";
      case From::input:
        return together({" in", digits(source.which)});
      case From::slot:
        return together({" kept", digits(source.which)});
      case From::number:
        return together({" ", number_text(source.bits, compute)});
      case From::index:
        return together({" index ", digits(source.which)});
      case From::row:
        return together({" row", digits(source.which)});
    }
    return "";
  }

  static std::string steps_text(const Step* first, int32_t count, Compute compute, const char* keep = " keep") {
    std::string text;
    for (int32_t s = 0; s < count; ++s) {
      const Step& step = first[s];
      if (s != 0) text += "; ";
      text += std::string(step_name(step.op)) + source_text(step.b, compute) + source_text(step.c, compute);
      if (step.keep != 0) text += together({keep, digits(step.keep - 1)});
    }
    return text;
  }

  std::string inputs_text(const Array* inputs, int32_t count, std::span<const int64_t> sizes) const {
    std::string text = together({" of ", sizes_text(sizes)});
    for (int32_t i = 0; i < count; ++i) text += together({i == 0 ? " in " : ", ", array_text(inputs[i], sizes)});
    return text;
  }

  /// What a map does, up to its inputs.
  std::string steps_text(const Map& map) const {
    return together({"map ", steps_text(map.steps, map.steps_used, map.compute),
                     inputs_text(map.inputs, map.inputs_used, used(map.size, map.dims))});
  }

  std::string to_text(const RowMap& r) const {
    std::string text = together({"rows of ", digits(r.terms)});
    const Step* step = r.steps;
    for (int32_t p = 0; p < r.passes_used; ++p) {
      const RowPass& pass = r.passes[p];
      if (pass.row_steps != 0)
        text += together({p == 0 ? ": a row: " : "; a row: ", steps_text(step, pass.row_steps, r.compute, " to row")});
      step += pass.row_steps;
      if (pass.steps != 0)
        text += together({p == 0 && pass.row_steps == 0 ? ": " : "; each: ", steps_text(step, pass.steps, r.compute)});
      step += pass.steps;
      if (pass.reduces != 0) text += together({"; reduce ", word_of(pass.op), " to row", digits(pass.number)});
    }
    text += inputs_text(r.inputs, r.inputs_used, used(r.size, r.dims));
    const std::span<const int64_t> written = used(r.size, r.per_row != 0 ? r.kept : r.dims);
    return together({text, " to ", array_text(r.output, written), r.per_row != 0 ? " a row" : ""});
  }

  std::string to_text(const Map& map) const {
    return together({steps_text(map), " to ", array_text(map.output, used(map.size, map.dims))});
  }

  std::string to_text(const Product& p) const {
    const auto matrix = [this](const Product::Matrix& m) {
      return together({place_text(m.place), m.transposed ? "'" : ""});
    };
    const int64_t sizes[] = {p.batch, p.m, p.n, p.k};
    std::string added;
    if (p.epilogue != Epilogue::none) {
      added = together({p.epilogue == Epilogue::bias ? " bias " : " residual ", place_text(p.added)});
    }
    return together({"product ", name(p.operands), p.tf32 ? " in tf32" : "", " b,m,n,k=", sizes_text(sizes), " ",
                     matrix(p.a), " ", matrix(p.b), added, " to ", matrix(p.c), " ", name(p.result)});
  }

  std::string to_text(const Fill& fill) const {
    return together({"fill ", digits(fill.bytes), " bytes ", digits(fill.value), " at ", place_text(fill.place)});
  }

  static const char* word_of(Reducing op) {
    return op == Reducing::add ? "add" : op == Reducing::maximum ? "maximum" : "minimum";
  }

  std::string to_text(const ReducedMap& r) const {
    const std::span<const int64_t> sizes = used(r.map.size, r.kept);
    const std::string terms = r.stores != 0 ? to_text(r.map) : steps_text(r.map);
    return together({"reduce ", word_of(r.op), " ", digits(r.terms), " terms of ", terms, " to ",
                     chunks_text(r.chunks_apart), place_text(r.output), " ", type_text(r.map.output.dtype, sizes)});
  }

  static const char* chunks_text(int64_t apart) { return apart != 0 ? "chunks at " : ""; }

  std::string to_text(const JoinChunks& j) const {
    const int64_t sizes[] = {j.outputs};
    return together({"join_chunks ", word_of(j.op), " ", digits(j.chunks), " chunks ", place_text(j.input), " to ",
                     place_text(j.output), " ", type_text(j.dtype, sizes)});
  }

  std::string to_text(const Reduction& r) const {
    std::string text("reduce ");
    text += word_of(r.op);
    text += together({" ", digits(r.terms), " terms ", array_text(r.input, used(r.size, r.dims))});
    return together(
        {text, " to ", chunks_text(r.chunks_apart), place_text(r.output), " ", sizes_text(used(r.size, r.dims))});
  }

  std::string to_text(const SumOfProducts& p) const {
    const std::span<const int64_t> sizes = used(p.size, p.dims);
    return together({"sum_of_products ", digits(p.terms), " terms ", array_text(p.a, sizes), ", ",
                     array_text(p.b, sizes), " to ", place_text(p.output), " ", sizes_text(sizes)});
  }

  std::string to_text(const RunningSum& c) const {
    const int64_t sizes[] = {c.outer, c.length, c.inner};
    return together(
        {"running_sum ", type_text(c.dtype, sizes), " ", place_text(c.input), " to ", place_text(c.output)});
  }

  std::string to_text(const Largest& l) const {
    const int64_t sizes[] = {l.outer, l.length, l.inner};
    return together({"largest ", digits(l.k), " of ", type_text(l.dtype, sizes), " ", place_text(l.input), " to ",
                     place_text(l.values), ", ", place_text(l.indices)});
  }

  std::string starts_text(const Starts& starts) const {
    std::string text(" starts");
    for (size_t i = 0; i < static_cast<size_t>(starts.count); ++i) text += together({" ", place_text(starts.place[i])});
    return text;
  }

  std::string to_text(const BlockCopy& c) const {
    const std::span<const int64_t> sizes = used(c.size, c.dims);
    return together({"copy_block ", sizes_text(sizes), " ", array_text(c.input, sizes), " to ",
                     array_text(c.output, sizes), c.moves_output ? " moved in output by" : " moved in input by",
                     starts_text(c.starts)});
  }

  std::string to_text(const TakeRows& g) const {
    const int64_t sizes[] = {g.batch, g.outer, g.rows, g.picks, g.inner};
    return together({"take_rows ", type_text(g.dtype, sizes), " ", place_text(g.input), " ids ", place_text(g.ids),
                     " to ", place_text(g.output)});
  }

  std::string to_text(const AddRows& s) const {
    const int64_t sizes[] = {s.batch, s.outer, s.rows, s.picks, s.inner};
    return together({"add_rows ", type_text(s.dtype, sizes), " ", place_text(s.updates), " ids ", place_text(s.ids),
                     " to ", place_text(s.sums)});
  }

  std::string to_text(const FoldIn& f) const {
    return together({"fold_in ", digits(f.count), " keys ", place_text(f.keys), " data ", place_text(f.data), " to ",
                     place_text(f.output)});
  }

  std::string to_text(const SplitKey& s) const {
    return together({"split_key ", place_text(s.key), " to ", digits(s.count), " at ", place_text(s.output)});
  }

  std::string to_text(const RandomBits& r) const {
    return together({"random_bits ", sizes_text(used(r.size, r.dims)), " of ", digits(r.whole), " key ",
                     place_text(r.key), starts_text(r.starts), " to ", place_text(r.output)});
  }

  std::string to_text(const Collective& c) const {
    const char* const words[] = {"ncclAllReduce sum", "ncclAllReduce max",     "ncclAllReduce min",
                                 "ncclAllGather",     "ncclReduceScatter sum", "ncclAlltoAll"};
    const int64_t sizes[] = {c.count};
    std::string text(words[static_cast<size_t>(c.kind)]);
    return together({text, " ", type_text(c.dtype, sizes), " on ", list_.communicators[c.communicator].name, " ",
                     place_text(c.send), " to ", place_text(c.receive)});
  }

  std::string to_text(const Messages& m) const {
    std::string text("group on ");
    text += list_.communicators[m.communicator].name;
    for (const Messages::Message& message : m.messages) {
      const int64_t sizes[] = {message.count};
      text += message.sends ? ", ncclSend to " : ", ncclRecv from ";
      text += together({digits(message.peer), " ", type_text(m.dtype, sizes), " ", place_text(message.place)});
    }
    return text;
  }

  std::string to_text(const Record& record) const { return together({"record event ", digits(record.event)}); }
  std::string to_text(const Wait& wait) const { return together({"wait for event ", digits(wait.event)}); }

  const CallList& list_;
  const Plan& plan_;
  std::string out_;
};

}  // namespace

std::string place_text(Place place, const CallList& list) {
  for (const Section& section : list.sections) {
    if (place < section.place || place >= section.place + std::max<int64_t>(section.bytes, 1)) continue;
    const int64_t offset = place - section.place;
    return offset == 0 ? section.name : together({section.name, "+", digits(offset)});
  }
  return std::to_string(place);
}

std::string to_text(const CallList& list, const Plan& plan) { return CallPrinter(list, plan).print(); }

std::string origin_text(const Call& call, const Plan& plan) {
  const Instruction& instruction = plan.instruction(call.origin);
  const Location& where = instruction.location();
  std::string text(where.file());
  text += together({":", digits(where.line()), ":", digits(where.column()), ": "});
  text += instruction.op();
  for (const PlanValueId id : instruction.results) text += together({" ", plan.value(id).name()});
  return text;
}

}  // namespace isoshard::calls
