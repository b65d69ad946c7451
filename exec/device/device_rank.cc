// Issues the calls of a list. All memory, streams, events and communicators are made before the first step, so that a
// step only issues and waits. Waiting is polling: of all streams, of errors that communicators report, and of a
// deadline, because NCCL answers a mismatch between ranks by waiting forever. Behind each call that communicates an
// event marks how far its stream has come, so that a message can name what never ended. With a graph, the first step is
// issued call by call, which makes NCCL connect, the second is captured, with all streams forked from and joined to the
// first, and later ones are one launch. Cost: what the calls cost.
#include "exec/device/device_rank.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "exec/device/data_types.h"
#include "exec/device/status.h"

namespace isoshard::exec {
namespace {

/// Where a call communicates, if it does.
std::optional<uint32_t> communicator_of(const calls::Call& call) {
  if (const auto* collective = std::get_if<calls::Collective>(&call.what)) return collective->communicator;
  if (const auto* messages = std::get_if<calls::Messages>(&call.what)) return messages->communicator;
  return std::nullopt;
}

bool communicates(const calls::Call& call) { return communicator_of(call).has_value(); }

/// `call 2 of 3 on communicator model (member 0 of 2)`: what NCCL has of a call that communicates.
std::string place_text(const calls::CallList& list, size_t call) {
  const std::optional<uint32_t> on = communicator_of(list.calls[call]);
  int64_t before = 0, all = 0;
  for (size_t c = 0; c < list.calls.size(); ++c) {
    if (communicator_of(list.calls[c]) != on) continue;
    ++all;
    if (c < call) ++before;
  }
  const calls::Membership& membership = list.communicators[on.value_or(0)];
  return "call " + std::to_string(before + 1) + " of " + std::to_string(all) + " on communicator " + membership.name +
         " (member " + std::to_string(membership.index) + " of " + std::to_string(membership.size) + ")";
}

/// `needs 459776 bytes of its device (250112 arena, 100800 @W1, 8 more with 108864)`, the largest of its sections.
std::string memory_text(const calls::CallList& list) {
  std::string text = "needs " + std::to_string(list.bytes) + " bytes of its device";
  std::vector<calls::Section> sections = list.sections;
  std::stable_sort(sections.begin(), sections.end(),
                   [](const calls::Section& a, const calls::Section& b) { return a.bytes > b.bytes; });
  constexpr size_t kTold = 4;
  std::string parts;
  int64_t rest = 0;
  for (size_t i = 0; i < sections.size(); ++i) {
    if (i >= kTold) rest += sections[i].bytes;
    if (i < kTold) parts += (i == 0 ? "" : ", ") + std::to_string(sections[i].bytes) + " " + sections[i].name;
  }
  if (rest > 0) parts += ", " + std::to_string(sections.size() - kTold) + " more with " + std::to_string(rest);
  return parts.empty() ? text : text + " (" + parts + ")";
}

}  // namespace

Outcome<std::unique_ptr<Rank>> DeviceRank::open(const calls::CallList& list, const Seat& seat,
                                                const RankOptions& options) {
  std::unique_ptr<DeviceRank> rank(new DeviceRank(list, options));
  if (Outcome<> prepared = rank->prepare(seat); !prepared) return tl::unexpected(prepared.error());
  return rank;
}

Outcome<> DeviceRank::prepare(const Seat& seat) {
  ISOSHARD_CUDA(cudaSetDevice(seat.device));
  if (Outcome<> allocated = allocate(); !allocated) return allocated;
  ISOSHARD_CUDA(cudaMemset(memory_, 0xff, static_cast<size_t>(list_.bytes)));
  if (Outcome<> prepared = prepare_streams(); !prepared) return prepared;
  if (options_.record) name_handles();
  if (Outcome<> prepared = products_.prepare(list_, memory_, seat.device, options_.algorithms, issuer_); !prepared)
    return prepared;
  return communicators_.join(list_, seat, options_.deadline, issuer_);
}

/// Keeps a record, which knows what has been made.
void DeviceRank::name_handles() {
  using calls::EventRole;
  issuer_.keep_record();
  Recorder& recorder = *issuer_.recorder();
  recorder.memory_begins_at(memory_);
  for (const cudaStream_t stream : streams_) recorder.made(stream);
  recorder.made(begin_, EventRole::begin, 0);
  const auto made_all = [&](const std::vector<cudaEvent_t>& events, EventRole role) {
    for (size_t i = 0; i < events.size(); ++i) {
      if (events[i] != nullptr) recorder.made(events[i], role, static_cast<int64_t>(i));
    }
  };
  made_all(ends_, EventRole::end);
  made_all(events_, EventRole::listed);
  made_all(marks_, EventRole::mark);
}

/// What is free is asked first: where several ranks or programs share a device, the number says more than a failure.
Outcome<> DeviceRank::allocate() {
  size_t free = 0, all = 0;
  ISOSHARD_CUDA(cudaMemGetInfo(&free, &all));
  const auto bytes = static_cast<size_t>(std::max<int64_t>(list_.bytes, 1));
  cudaError_t made = cudaErrorMemoryAllocation;
  if (bytes <= free) made = cudaMalloc(reinterpret_cast<void**>(&memory_), bytes);
  if (made == cudaSuccess) return {};
  if (made != cudaErrorMemoryAllocation) return tl::unexpected(cuda_failure(made, "cudaMalloc"));
  return tl::unexpected(Failure{Failure::Kind::no_memory, memory_text(list_) + "; " + std::to_string(free) + " of " +
                                                              std::to_string(all) + " are free"});
}

Outcome<> DeviceRank::prepare_streams() {
  int least = 0, greatest = 0;
  ISOSHARD_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  streams_.resize(list_.streams.size());
  ends_.resize(list_.streams.size());
  for (size_t s = 0; s < streams_.size(); ++s) {  // what communicates goes first where both want the device
    const int priority = list_.streams[s] == "compute" ? least : greatest;
    ISOSHARD_CUDA(cudaStreamCreateWithPriority(&streams_[s], cudaStreamNonBlocking, priority));
    ISOSHARD_CUDA(cudaEventCreate(&ends_[s]));
  }
  ISOSHARD_CUDA(cudaEventCreate(&begin_));
  events_.resize(list_.events);
  for (cudaEvent_t& event : events_) ISOSHARD_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  marks_.resize(list_.calls.size());
  for (size_t c = 0; c < marks_.size(); ++c) {
    if (!communicates(list_.calls[c])) continue;
    ISOSHARD_CUDA(cudaEventCreateWithFlags(&marks_[c], cudaEventDisableTiming));
  }
  return {};
}

DeviceRank::~DeviceRank() {
  if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  communicators_.abort();
  cudaDeviceSynchronize();  // what still runs, where a step has failed or timed out, uses the memory
  for (const std::vector<cudaEvent_t>* events : {&events_, &marks_, &ends_}) {
    for (const cudaEvent_t event : *events) {
      if (event != nullptr) cudaEventDestroy(event);
    }
  }
  if (begin_ != nullptr) cudaEventDestroy(begin_);
  for (const cudaStream_t stream : streams_) {
    if (stream != nullptr) cudaStreamDestroy(stream);
  }
  if (memory_ != nullptr) cudaFree(memory_);
}

Outcome<> DeviceRank::write(calls::Place place, std::span<const std::byte> bytes) {
  if (bytes.empty()) return {};
  ISOSHARD_CUDA(cudaMemcpy(memory_ + place, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
  return {};
}

Outcome<> DeviceRank::read(calls::Place place, std::span<std::byte> bytes) {
  if (bytes.empty()) return {};
  ISOSHARD_CUDA(cudaMemcpy(bytes.data(), memory_ + place, bytes.size(), cudaMemcpyDeviceToHost));
  return {};
}

Outcome<> DeviceRank::step() {
  deadline_ = in_seconds(options_.deadline);
  ++steps_;
  if (streams_.empty()) return {};
  // A copy from pageable memory may still be on its way when cudaMemcpy returns, and these streams do not wait for it.
  ISOSHARD_CUDA(cudaDeviceSynchronize());
  if (options_.graph && has_run_ && graph_ == nullptr) {
    if (Outcome<> captured = capture(); !captured) return captured;
  }
  ISOSHARD_ISSUE(cudaEventRecord, issuer_.record(begin_, streams_[0]));
  if (graph_ != nullptr) {
    ISOSHARD_ISSUE(cudaGraphLaunch, issuer_.launch_graph(graph_, streams_[0]));
  } else if (Outcome<> issued = issue_all(); !issued) {
    return issued;
  }
  for (size_t s = 0; s < streams_.size(); ++s) {
    ISOSHARD_ISSUE(cudaEventRecord, issuer_.record(ends_[s], streams_[s]));
  }
  if (Outcome<> waited = wait(); !waited) return waited;
  seconds_ = 0;
  for (const cudaEvent_t end : ends_) {
    float milliseconds = 0;
    ISOSHARD_CUDA(cudaEventElapsedTime(&milliseconds, begin_, end));
    seconds_ = std::max(seconds_, static_cast<double>(milliseconds) * 1e-3);
  }
  has_run_ = true;
  return {};
}

Outcome<> DeviceRank::capture() {
  ISOSHARD_ISSUE(cudaStreamBeginCapture, issuer_.begin_capture(streams_[0]));
  Outcome<> issued = fork_and_join(true);
  if (issued) issued = issue_all();
  if (issued) issued = fork_and_join(false);
  cudaGraph_t graph = nullptr;
  if (!issued) {
    cudaStreamEndCapture(streams_[0], &graph);  // no part of the step: it only ends what has failed
    if (graph != nullptr) cudaGraphDestroy(graph);
    return issued;
  }
  ISOSHARD_ISSUE(cudaStreamEndCapture, issuer_.end_capture(streams_[0], &graph));
  const cudaError_t made = cudaGraphInstantiate(&graph_, graph, 0);
  cudaGraphDestroy(graph);
  if (made != cudaSuccess) return tl::unexpected(cuda_failure(made, "cudaGraphInstantiate"));
  return {};
}

/// Makes all streams part of what the first one captures, or the first one wait for all of them.
Outcome<> DeviceRank::fork_and_join(bool forks) {
  if (forks) ISOSHARD_ISSUE(cudaEventRecord, issuer_.record(begin_, streams_[0]));
  for (size_t s = 1; s < streams_.size(); ++s) {
    if (!forks) ISOSHARD_ISSUE(cudaEventRecord, issuer_.record(ends_[s], streams_[s]));
    ISOSHARD_ISSUE(cudaStreamWaitEvent, issuer_.wait(streams_[forks ? s : 0], forks ? begin_ : ends_[s]));
  }
  return {};
}

Outcome<> DeviceRank::issue_all() {
  const bool capturing = options_.graph && has_run_;
  for (size_t c = 0; c < list_.calls.size(); ++c) {
    if (Outcome<> issued = issue(list_.calls[c]); !issued) {
      return tl::unexpected(Failure{issued.error().kind, described(c) + ": " + issued.error().message});
    }
    if (marks_[c] == nullptr || capturing) continue;
    ISOSHARD_ISSUE(cudaEventRecord, issuer_.record(marks_[c], streams_[list_.calls[c].stream]));
  }
  return {};
}

Outcome<> DeviceRank::issue(const calls::Call& call) {
  const cudaStream_t stream = streams_[call.stream];
  return std::visit(
      [&](const auto& what) -> Outcome<> {
        using What = std::decay_t<decltype(what)>;
        if constexpr (std::is_same_v<What, calls::Record>) {
          ISOSHARD_ISSUE(cudaEventRecord, issuer_.record(events_[what.event], stream));
        } else if constexpr (std::is_same_v<What, calls::Wait>) {
          ISOSHARD_ISSUE(cudaStreamWaitEvent, issuer_.wait(stream, events_[what.event]));
        } else if constexpr (std::is_same_v<What, calls::Fill>) {
          ISOSHARD_ISSUE(cudaMemsetAsync,
                         issuer_.fill(memory_ + what.place, what.value, static_cast<size_t>(what.bytes), stream));
        } else if constexpr (std::is_same_v<What, calls::Product>) {
          return products_.issue(what, call.stream, stream, issuer_);
        } else if constexpr (std::is_same_v<What, calls::Collective> || std::is_same_v<What, calls::Messages>) {
          return issue(what, stream);
        } else {
          ISOSHARD_ISSUE(a kernel, issuer_.start(what, memory_, stream));
        }
        return {};
      },
      call.what);
}

Outcome<> DeviceRank::issue(const calls::Collective& collective, cudaStream_t stream) {
  using Kind = calls::Collective::Kind;
  const ncclComm_t communicator = communicators_.at(collective.communicator);
  const bool moves = collective.kind == Kind::all_gather || collective.kind == Kind::all_to_all;
  const NcclData data = moves ? moved(collective.dtype, collective.count) : added(collective.dtype, collective.count);
  const std::byte* const send = memory_ + collective.send;
  std::byte* const receive = memory_ + collective.receive;
  const auto issued = [&]() -> ncclResult_t {
    switch (collective.kind) {
      case Kind::all_reduce_sum:
        return issuer_.all_reduce(send, receive, data.count, data.type, ncclSum, communicator, stream);
      case Kind::all_reduce_max:
        return issuer_.all_reduce(send, receive, data.count, data.type, ncclMax, communicator, stream);
      case Kind::all_reduce_min:
        return issuer_.all_reduce(send, receive, data.count, data.type, ncclMin, communicator, stream);
      case Kind::all_gather:
        return issuer_.all_gather(send, receive, data.count, data.type, communicator, stream);
      case Kind::reduce_scatter:
        return issuer_.reduce_scatter(send, receive, data.count, data.type, ncclSum, communicator, stream);
      case Kind::all_to_all:
        return issuer_.all_to_all(send, receive, data.count, data.type, communicator, stream);
    }
    return ncclInvalidArgument;
  };
  return communicators_.settle(issued(), communicator, "a collective", deadline_);
}

Outcome<> DeviceRank::issue(const calls::Messages& messages, cudaStream_t stream) {
  const ncclComm_t communicator = communicators_.at(messages.communicator);
  ncclResult_t status = issuer_.group_start();
  for (const calls::Messages::Message& message : messages.messages) {
    const NcclData data = moved(messages.dtype, message.count);
    const int peer = static_cast<int>(message.peer);
    const ncclResult_t sent =
        message.sends ? issuer_.send(memory_ + message.place, data.count, data.type, peer, communicator, stream)
                      : issuer_.receive(memory_ + message.place, data.count, data.type, peer, communicator, stream);
    if (sent != ncclSuccess && sent != ncclInProgress) status = sent;
  }
  const ncclResult_t ended = issuer_.group_end();
  if (status == ncclSuccess) status = ended;
  return communicators_.settle(status, communicator, "a group of messages", deadline_);
}

Outcome<bool> DeviceRank::is_done(size_t& stream) const {
  for (; stream < streams_.size(); ++stream) {
    const cudaError_t status = cudaStreamQuery(streams_[stream]);
    if (status == cudaErrorNotReady) {
      cudaGetLastError();  // an answer, which would be taken for the error of the next launch
      return false;
    }
    if (status != cudaSuccess) return tl::unexpected(cuda_failure(status, "cudaStreamQuery"));
  }
  return true;
}

Outcome<> DeviceRank::wait() {
  size_t stream = 0;
  for (int64_t polls = 0;; ++polls) {
    const Outcome<bool> done = is_done(stream);
    if (!done) return tl::unexpected(caused(done.error()));
    if (*done) return {};
    if (polls % 64 == 63) {
      if (Outcome<> checked = communicators_.check(); !checked) {
        return tl::unexpected(Failure{checked.error().kind, unfinished() + ": " + checked.error().message});
      }
      if (std::chrono::steady_clock::now() > deadline_) {
        return tl::unexpected(Failure{Failure::Kind::timed_out, unfinished() + " has not ended in time"});
      }
    }
    if (polls > 4096) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

/// What communicators say of a failure, where they know of one, is nearer to its cause.
Failure DeviceRank::caused(const Failure& failure) const {
  const Outcome<> checked = communicators_.check();
  if (checked) return failure;
  return {checked.error().kind, unfinished() + ": " + checked.error().message};
}

std::string DeviceRank::described(size_t call) const {
  return options_.describe ? options_.describe(call) : "call " + std::to_string(call);
}

std::string DeviceRank::unfinished() const {
  if (graph_ != nullptr) return "a call of the graph, which --graph off would name,";
  for (size_t c = 0; c < marks_.size(); ++c) {
    if (marks_[c] == nullptr) continue;
    const bool done = cudaEventQuery(marks_[c]) == cudaSuccess;
    cudaGetLastError();
    if (!done) return described(c) + ": " + place_text(list_, c) + " in step " + std::to_string(steps_);
  }
  return "what computes";
}

/// A graph holds on to its communicators, which do not end before it.
Outcome<> DeviceRank::finish() {
  if (graph_ != nullptr) ISOSHARD_CUDA(cudaGraphExecDestroy(graph_));
  graph_ = nullptr;
  return communicators_.finish(options_.deadline);
}

}  // namespace isoshard::exec
