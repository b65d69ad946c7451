#pragma once  // internal

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/ir/builder/builder.h"
#include "core/support/rational.h"
#include "core/text/elaborate/scope.h"
#include "core/text/text.h"

namespace isoshard::text {

/// What a func is given for a parameter: a value of that type, or a number that stays one.
using CallArgument = std::variant<ValueType, Rational>;

/// A func as it is made for one kind of call: functions are typed anew for each set of operand states.
struct InstanceKey {
  std::string name;
  std::shared_ptr<const Mesh> mesh;
  std::vector<CallArgument> arguments;
  bool typed = true;
};

/// What the elaboration of a file knows while programs and funcs are built.
class Elaboration {
 public:
  Elaboration(std::shared_ptr<const SourceFile> file, int64_t max_ops, DiagnosticSink& sink)
      : scope{std::move(file), sink, {}, {}}, max_ops_(max_ops) {}

  FileScope scope;
  Module module;
  std::map<std::string, std::optional<GlobalId>> globals;  ///< without a value after an error
  std::map<std::string, const BodySyntax*> functions;
  std::map<std::string, const PipelineSyntax*> pipelines;

  /// The mesh that `on @m` names; one device without it. Reports unknown meshes.
  std::shared_ptr<const Mesh> find_mesh(const std::optional<Word>& name, const Scope& at);
  /// The global `@name`; reports an unknown name.
  std::optional<GlobalId> find_global(const Word& name, const Scope& at) const;
  /// Builds a program (`@p ...`); nothing after an error.
  std::optional<ProgramId> program(const BodySyntax& syntax);
  /// The mesh of a func for a caller on `caller`: its own, or that of the caller where it names none
  /// (docs/adr/0086-funcs-of-their-callers.md). Reports unknown meshes.
  std::shared_ptr<const Mesh> mesh_of(const BodySyntax& function, const std::shared_ptr<const Mesh>& caller,
                                      const Scope& at);
  /// The instance of `syntax` on `mesh` for `arguments`, made when there is none yet; `caller` and `call` say from
  /// where.
  ///
  /// Nothing after an error inside of it, which is reported once.
  std::optional<ProgramId> instance(const BodySyntax& syntax, std::shared_ptr<const Mesh> mesh,
                                    const std::vector<CallArgument>& arguments, bool typed, const Scope* caller,
                                    const Span& call);
  /// The instance whose parameters have the declared types and the state `?`: checks shapes only. None for a func of
  /// any shape, which is known only with its arguments.
  std::optional<ProgramId> stateless_instance(const BodySyntax& syntax, const std::shared_ptr<const Mesh>& mesh,
                                              const Scope* caller, const Span& call);
  /// The same for a func that nothing calls.
  void check_uncalled(const BodySyntax& syntax);
  /// Drops the instances made since the module had `programs` programs: those of a body that is elaborated again.
  void forget_instances(size_t programs);
  /// False while the states of a scan's carries are being found: states that are written are then skipped.
  bool states_settled = true;
  bool states_skipped = false;
  /// Programs of gradients that were made, by what was asked for.
  std::map<std::string, ProgramId> gradients;
  bool was_called(const std::string& function) const { return called_.count(function) != 0; }

  /// Whether there is no use in looking for more errors of this file.
  bool too_many_errors() const { return scope.sink.error_count() >= kMaxErrors; }
  /// Counts an op, an iteration or an element of a spread; false once there are too many (E-limit).
  bool step(const Scope& scope_at, const Span& span);

 private:
  static constexpr size_t kMaxErrors = 100;

  struct Instance {
    InstanceKey key;
    ProgramId program;
  };

  std::optional<ProgramId> make_instance(const BodySyntax& syntax, const InstanceKey& key, const Scope* caller,
                                         const Span& call);
  bool check_recursion(const std::string& name, const Scope* caller, const Span& call);

  std::shared_ptr<const Mesh> one_device_ = std::make_shared<const Mesh>();
  std::map<std::string, std::vector<Instance>> instances_;
  std::set<std::string> called_, failed_;
  std::vector<std::string> active_;
  int64_t max_ops_, steps_ = 0;
};

/// Builds one body into `elaboration.module`; `arguments` are the parameters of a func. Nothing after an error.
std::optional<ProgramId> elaborate_body(Elaboration& elaboration, const BodySyntax& syntax, Scope scope,
                                        std::shared_ptr<const Mesh> mesh, const std::vector<CallArgument>& arguments,
                                        bool typed);

/// The programs of a file by name, in name order; without a value after an error in one.
using ProgramNames = std::map<std::string, std::optional<ProgramId>>;

/// The program called `name`; reports an unknown name (E-program).
std::optional<ProgramId> find_program(const Elaboration& elaboration, const ProgramNames& programs, const Word& name);

/// The two programs that a check is about: those it names, or the programs that compute their gradients, which are made
/// here. Nothing after an error.
std::optional<std::pair<ProgramId, ProgramId>> elaborate_sides(Elaboration& elaboration, const CheckSyntax& syntax,
                                                               const ProgramNames& programs);

/// `grad @p(...) {wrt=[...]}` or `call @p(...)` of a pipeline of the file as the op `pipeline` with its fields; nothing
/// after an error (V-schedule: more stages than ranks; P-file and P-action: those of the file of actions).
std::optional<OpSyntax> elaborate_pipeline(const Elaboration& elaboration, const PipelineSyntax& pipeline,
                                           const OpSyntax& applied, const Scope& scope);

/// A check of two programs, with its steps and maps; nothing after an error (E-check, E-steps, E-map).
std::optional<Check> elaborate_check(const Elaboration& elaboration, const CheckSyntax& syntax, ProgramId left,
                                     ProgramId right, const Span& span);

}  // namespace isoshard::text
