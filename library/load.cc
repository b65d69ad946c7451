// Loading by the library: its options become those of the command line, so that both read and say the same.
#include <utility>

#include "library/findings.h"
#include "library/guarded.h"
#include "library/load/load.h"
#include "library/states.h"

namespace isoshard {
inline namespace v1 {
namespace {

library::LoadRequest request_of(const LoadOptions& options) {
  library::LoadRequest request;
  for (const auto& [axis, size] : options.mesh) request.mesh.push_back(axis + "=" + std::to_string(size));
  if (options.devices != 0) request.devices = options.devices;
  for (const auto& [name, value] : options.settings) request.set.push_back(name + "=" + value);
  for (const auto& [name, range] : options.ranges) request.ranges.push_back(name + "=" + range);
  request.arguments = options.arguments;
  request.arrays = options.arrays;
  return request;
}

/// Has the text of `input` read where its name is asked for.
void add_text(const Input& input, library::LoadRequest& request) {
  if (input.is_text) request.texts[input.name] = input.contents;
}

Programs finish(std::optional<Module> module, const std::string& name, const DiagnosticSink& sink) {
  library::throw_errors(sink);
  detail::ProgramsState state{std::move(*module), name, library::to_findings(sink.diagnostics())};
  return Programs(std::make_shared<const detail::ProgramsState>(std::move(state)));
}

}  // namespace

Input Input::text(std::string name, std::string text) {
  Input input(std::move(name));
  input.contents = std::move(text);
  input.is_text = true;
  return input;
}

Programs load(const Input& input, const LoadOptions& options) {
  return library::guarded(input.name, [&] {
    library::LoadRequest request = request_of(options);
    add_text(input, request);
    DiagnosticSink sink;
    return finish(library::load(input.name, request, sink), input.name, sink);
  });
}

Programs load_pair(const Input& sharded, const Input& reference, const LoadOptions& options) {
  return library::guarded(sharded.name, [&] {
    library::LoadRequest request = request_of(options);
    DiagnosticSink sink;
    if (sharded.is_text && reference.is_text && sharded.name == reference.name) {
      sink.error("", {}, "both texts are called " + sharded.name + "; expected two names, which messages tell apart");
      library::throw_errors(sink);
    }
    add_text(sharded, request);
    add_text(reference, request);
    return finish(library::load_pair(sharded.name, reference.name, request, sink), sharded.name, sink);
  });
}

}  // namespace v1
}  // namespace isoshard
