// Calls that are made to fail, ranks that are made to stop or to hang, and data that is spoiled on its way. A process
// that only loads the stand-in cannot ask for that by standin.h: it names one fault in the environment, and is told on
// stderr whether and where that came, so that a test knows whether what follows has a reason.
#include "tests/standin/faults.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "tests/standin/caller.h"

namespace standin {
namespace {

struct Faults {
  int64_t calls = 0;
  std::map<int64_t, Errors> failing;  ///< by number of the call
  int64_t stops_at = -1, hangs_at = -1, is_killed_at = -1;
  int64_t spoils_from = -1;  ///< until something has come
  bool goes_on = false;      ///< everything that comes from there on is spoiled
};

/// `1:37:gone` or `1:cudaMalloc:gone` of the environment.
struct AskedFault {
  int rank = 0;
  std::string call;  ///< its number, or the name of a function: the first call of that
  std::string kind;
  bool reached = false;

  bool has_number() const { return call.find_first_not_of("0123456789") == std::string::npos; }
};

const Errors kGone{cudaErrorDevicesUnavailable, ncclUnhandledCudaError, CUBLAS_STATUS_NOT_INITIALIZED};
const Errors kNoMemory{cudaErrorMemoryAllocation, ncclUnhandledCudaError, CUBLAS_STATUS_ALLOC_FAILED};

std::optional<AskedFault>& asked_fault() {
  static auto* asked = new std::optional<AskedFault>;
  return *asked;
}

[[noreturn]] void refuse(const char* text) {
  constexpr int kProblems = 70;
  std::fprintf(stderr,
               "stand-in: STANDIN_FAULT=%s: expected RANK:CALL:KIND, as 1:37:gone, with a rank from -1 on, the number "
               "of a call from 1 on or its name, and a kind of error, memory, gone, hang, kill, spoil or corrupt\n",
               text);
  _exit(kProblems);
}

bool inject(Faults& faults, int64_t call, const std::string& kind) {
  if (kind == "error") {
    faults.failing[call] = Errors{};
  } else if (kind == "memory") {
    faults.failing[call] = kNoMemory;
  } else if (kind == "gone") {
    faults.stops_at = call;
  } else if (kind == "hang") {
    faults.hangs_at = call;
  } else if (kind == "kill") {
    faults.is_killed_at = call;
  } else if (kind == "spoil" || kind == "corrupt") {
    faults.spoils_from = call;
    faults.goes_on = kind == "corrupt";
  } else {
    return false;
  }
  return true;
}

AskedFault parse(const char* text) {
  AskedFault fault;
  char call[64] = "";
  int end = 0;
  if (std::sscanf(text, "%d:%63[A-Za-z0-9]:%n", &fault.rank, call, &end) != 2 || end == 0) refuse(text);
  fault.call = call;
  fault.kind = text + end;
  Faults tried;
  const bool good = !fault.has_number() || std::atoll(call) >= 1;
  if (fault.rank < -1 || !good || !inject(tried, 1, fault.kind)) refuse(text);
  return fault;
}

std::map<int, Faults>& all_faults() {
  static auto* all = [] {
    auto* made = new std::map<int, Faults>;
    const char* const text = std::getenv("STANDIN_FAULT");
    if (text == nullptr) return made;
    const AskedFault& fault = asked_fault().emplace(parse(text));
    if (fault.has_number()) inject((*made)[fault.rank], std::atoll(fault.call.c_str()), fault.kind);
    return made;
  }();
  return *all;
}

/// The fault of the environment that is of this name gets the number of this call, the first one.
void note_name(Faults& faults, int rank, const char* name) {
  std::optional<AskedFault>& fault = asked_fault();
  if (!fault || fault->rank != rank || fault->call != name) return;
  inject(faults, faults.calls, fault->kind);
  fault->call = std::to_string(faults.calls);
}

void tell_reached(int rank, const std::string& where) {
  std::optional<AskedFault>& fault = asked_fault();
  if (!fault || fault->reached || fault->rank != rank) return;
  fault->reached = true;
  std::fprintf(stderr, "stand-in fault: %s of rank %d: %s\n", where.c_str(), rank, fault->kind.c_str());
}

}  // namespace

std::optional<Errors> fault_of_call(Lock& lock, int rank, const char* name) {
  Faults& faults = all_faults()[rank];
  const int64_t number = ++faults.calls;
  note_name(faults, rank, name);
  const auto found = faults.failing.find(number);
  const bool killed = number == faults.is_killed_at;
  const bool stops = number == faults.stops_at || killed, hangs = number == faults.hangs_at;
  if (stops || hangs || found != faults.failing.end()) {
    tell_reached(rank, std::string(name) + ", call " + std::to_string(number));
  }
  if (hangs) std::condition_variable().wait(lock, [] { return false; });
  if (killed) kill_caller();
  if (stops) Machine::get().stop(rank);
  if (Machine::get().is_gone(rank)) return kGone;
  if (found == faults.failing.end()) return std::nullopt;
  Machine::get().note_failed_call();
  return found->second;
}

void spoil_data(int rank, std::vector<char>& bytes, const std::string& what) {
  Faults& faults = all_faults()[rank];
  if (faults.spoils_from < 0 || faults.calls < faults.spoils_from || bytes.empty()) return;
  if (!faults.goes_on) faults.spoils_from = -1;
  tell_reached(rank, what + ", after call " + std::to_string(faults.calls));
  constexpr size_t kLargestElement = 8;
  for (size_t i = 0; i < std::min(bytes.size(), kLargestElement); ++i) bytes[i] = static_cast<char>(bytes[i] ^ 0x40);
}

void prepare_faults() { all_faults(); }

void reset_faults() {
  if (asked_fault() && asked_fault()->kind == "corrupt") {
    asked_fault()->reached = true;  // the devices say so
    return;
  }
  all_faults().clear();
  asked_fault().reset();
}

void tell_unreached_fault() {
  const std::optional<AskedFault>& fault = asked_fault();
  if (!fault || fault->reached) return;
  std::fprintf(stderr, "stand-in fault: not reached, rank %d made %lld calls\n", fault->rank,
               static_cast<long long>(all_faults()[fault->rank].calls));
}

void fail_at(int rank, int64_t n, const Errors& errors) {
  const Lock lock(Machine::get().mutex);
  all_faults()[rank].failing[n] = errors;
}

void stop_rank_at(int rank, int64_t n) {
  const Lock lock(Machine::get().mutex);
  all_faults()[rank].stops_at = n;
}

void spoil_from(int rank, int64_t n) {
  const Lock lock(Machine::get().mutex);
  all_faults()[rank].spoils_from = n;
}

int64_t calls(int rank) {
  const Lock lock(Machine::get().mutex);
  return all_faults()[rank].calls;
}

}  // namespace standin
