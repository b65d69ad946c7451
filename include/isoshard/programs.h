#pragma once

#include <isoshard/array.h>
#include <isoshard/errors.h>
#include <isoshard/export.h>
#include <isoshard/report.h>
#include <isoshard/stop_token.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace isoshard {
inline namespace v1 {

namespace detail {
struct ProgramsState;
}

/// What to read: a file or a model of the catalogue, as on the command line, or a text.
struct Input {
  Input(const char* file_or_model) : name(file_or_model) {}
  Input(std::string file_or_model) : name(std::move(file_or_model)) {}
  /// A text of the language or of StableHLO, told apart by how it begins; `name` is its file in messages.
  static Input text(std::string name, std::string text);

  std::string name;
  std::string contents{};
  bool is_text = false;
};

/// For which sizes programs are made.
struct LoadOptions {
  std::map<std::string, int64_t> mesh{};          ///< by axis; -1: what the others leave of `devices`
  int64_t devices = 0;                            ///< 0: as many as the mesh says
  std::map<std::string, std::string> settings{};  ///< values of `let`s, or of a model's settings
  /// Of StableHLO texts: the numbers that an integer argument may have, by its name, `0..32000` or `0..32000,-100`.
  std::map<std::string, std::string> ranges{};
  /// Of StableHLO texts: names of the arguments in order, `x,w`, once for all texts or once for each.
  std::vector<std::string> arguments{};
  /// Of two StableHLO texts that were lowered for the same arrays, in one order: how many. Where both texts have all of
  /// them as arguments, these pair by position, whatever names they have. 0: nobody says so.
  std::size_t arrays = 0;
};

/// Hears of the parts of long work as they begin, such as `rung A`, on the calling thread. What it throws ends the work
/// and is thrown on.
using ProgressCallback = std::function<void(const std::string& part)>;

/// How a claim is decided.
struct CheckSettings {
  uint64_t seed = 0;            ///< of random inputs; equal seeds give equal reports, but for the time
  int workers = 0;              ///< threads; 0: one per core
  bool gradients = false;       ///< compare gradients in place of values
  bool accept_sampled = false;  ///< NOT REFUTED has exit code 0
  int error_exponent = 0;       ///< a wrong EQUAL may have probability 2^-this, 20 to 240; 0: as the command line
  StopToken stop{};
  ProgressCallback progress{};
};

/// How a program is run on virtual devices.
struct SimulateSettings {
  std::string program{};  ///< without `@`; empty: the left side of the first claim, or the only one
  uint64_t seed = 0;      ///< of arrays that are not given
  int workers = 0;        ///< threads; 0: one per core
  int64_t steps = 1;      ///< each on the globals that the one before has updated
  bool f64 = false;       ///< all floats as f64, in place of the dtypes as written
  StopToken stop{};
  ProgressCallback progress{};
};

/// `check @left == @right`
struct Claim {
  std::string left, right;  ///< without `@`
  std::string location;     ///< `file:line:col`
};

/// An array that programs read: its type, as `f32[8,16]`, and what it is for: `input`, `param` or `const`.
struct GlobalType {
  std::string name;
  std::string type;
  std::string role;
};

/// Programs and claims of one input, or of a sharded program and its reference; copies share them, and any number of
/// threads may use them.
///
/// Members throw InputError where their arguments are wrong, StoppedError where they were told to stop, and
/// LibraryError for bugs of isoshard.
class ISOSHARD_API Programs {
 public:
  /// The names, without `@`.
  std::vector<std::string> names() const;
  std::vector<Claim> claims() const;
  std::vector<GlobalType> globals() const;
  /// What was said when they were loaded.
  const std::vector<Finding>& warnings() const;

  /// Decides claim `claim`, one of claims().
  Report check(size_t claim = 0, const CheckSettings& settings = {}) const;
  /// Runs a program: the arrays that it returns or updates, whole. `arrays` are globals; with none all are drawn, with
  /// some only params are. A run that does not end is a RunError.
  std::vector<NamedArray> simulate(const std::vector<NamedArray>& arrays = {},
                                   const SimulateSettings& settings = {}) const;
  /// A program (empty: all of them) as a `.shard` file, fully elaborated; `types` adds the types of values.
  std::string show(const std::string& program = "", bool types = false) const;
  /// The Plan of a program (empty: of all): the queues of instructions of its ranks, as `isoshard show --plan` has
  /// them.
  std::string lower(const std::string& program = "") const;

  /// Made by load() and load_pair() only.
  explicit Programs(std::shared_ptr<const detail::ProgramsState> state);

 private:
  std::shared_ptr<const detail::ProgramsState> state_;
};

/// Reads a `.shard` file, a StableHLO file, a model of the catalogue or a text. Throws InputError.
ISOSHARD_API Programs load(const Input& input, const LoadOptions& options = {});
/// Reads the StableHLO of a sharded program and of its reference, with the claim that they are equal. Throws
/// InputError.
ISOSHARD_API Programs load_pair(const Input& sharded, const Input& reference, const LoadOptions& options = {});

}  // namespace v1
}  // namespace isoshard
