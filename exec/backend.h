#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "core/plan/calls/call_list.h"
#include "core/plan/calls/issued.h"
#include "exec/algorithms/product_algorithm.h"

namespace isoshard::exec {

/// Why a run on devices failed, in words: the call with its source line, and what the library said.
struct Failure {
  enum class Kind : uint8_t {
    no_device,
    unsupported,
    no_memory,
    failed,
    timed_out,
    elsewhere,      ///< another rank has gone: the cause is what that one says
    not_as_listed,  ///< a rank has issued something else than its list
  };
  Kind kind = Kind::failed;
  std::string message;
};
template <class T = void>
using Outcome = tl::expected<T, Failure>;

/// What ranks share so that they find each other: the bytes of an ncclUniqueId.
using MeetingPoint = std::array<std::byte, 128>;

/// A rank among those that run a Plan.
struct Seat {
  int64_t rank = 0;
  int64_t ranks = 1;
  int device = 0;
  MeetingPoint meeting{};
};

/// How a rank runs.
struct RankOptions {
  double deadline = 60;                              ///< seconds that a step, or meeting the others, may take
  bool graph = false;                                ///< from the second step on a step is one launch of a graph
  bool record = false;                               ///< what is issued is written down
  std::function<std::string(size_t call)> describe;  ///< a call of the list in messages: `file:line:col: all_reduce`
  KnownAlgorithms algorithms{};                      ///< of products, for devices and versions of any kind
};

/// One rank with its memory, streams, events and communicators, used by one thread.
class Rank {
 public:
  virtual ~Rank() = default;
  virtual Outcome<> write(calls::Place place, std::span<const std::byte> bytes) = 0;
  virtual Outcome<> read(calls::Place place, std::span<std::byte> bytes) = 0;
  /// Issues all calls of a step and waits until they are done.
  virtual Outcome<> step() = 0;
  /// Seconds that the last step took on the device, from the first call to the end of the last.
  virtual double seconds() const = 0;
  /// What it has issued since it was asked last, or was opened; nothing where no record is kept.
  virtual std::optional<std::vector<calls::IssuedCall>> take_issued() { return std::nullopt; }
  /// The algorithms that its products have, each kind once.
  virtual std::vector<UsedAlgorithm> algorithms() const { return {}; }
  /// Ends the communicators, with all other ranks; to be called after the last step where nothing failed.
  virtual Outcome<> finish() = 0;
};

/// A library that issues calls: CUDA, or its stand-in on the CPU. Both are shared libraries made of the same sources
/// and loaded at run time (exec/load_backend.h), so that a program starts where there is no CUDA.
class Backend {
 public:
  virtual ~Backend() = default;
  /// `NVIDIA H100 80GB HBM3, sm_90, CUDA 13.0, driver 13.0, NCCL 2.28.9`.
  virtual Outcome<std::string> describe() = 0;
  virtual Outcome<int> devices() = 0;
  /// Where a device is on the bus of its machine, `0000:3b:00.0`; empty where that is not known.
  virtual std::string bus_id(int) { return ""; }
  /// Where ranks are to meet; made by one of them, or whoever starts them.
  virtual Outcome<MeetingPoint> meeting_point() = 0;
  /// Makes rank `seat` of those that have the same meeting point; all of them have to come. The list must outlive it.
  virtual Outcome<std::unique_ptr<Rank>> open(const calls::CallList& list, const Seat& seat,
                                              const RankOptions& options) = 0;
};

/// The one function of a library with a backend, under this name as a C symbol.
using BackendFunction = Backend*();
inline constexpr const char* kBackendSymbol = "isoshard_exec_backend";

/// A library whose devices are memory of the process that loads it has four more C functions. The first moves them into
/// a process of their own, for ranks that are forked later, or says that the system has no more processes; the second
/// ends that. The third lets ranks come to them that are not forked from this process, and names the place, and the
/// fourth, in such a rank, goes there.
using ShareDevicesFunction = bool();
using EndSharingFunction = void();
using OpenDoorFunction = const char*();
using JoinDevicesFunction = bool(const char* place);
inline constexpr const char* kShareDevicesSymbol = "isoshard_share_devices";
inline constexpr const char* kEndSharingSymbol = "isoshard_end_sharing";
inline constexpr const char* kOpenDoorSymbol = "isoshard_open_door";
inline constexpr const char* kJoinDevicesSymbol = "isoshard_join_devices";

}  // namespace isoshard::exec
