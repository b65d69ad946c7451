#pragma once

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Issues `run(work)` on a stream, with a copy of the bytes of `work`: the stand-in's way to launch a kernel, which is
/// told so many bytes.
void standin_launch(cudaStream_t stream, void (*run)(const void* work), const void* work, size_t bytes,
                    const void* given, size_t given_bytes);

/// Issues any work on a stream, where the devices are in this process (hub/share_devices.h).
void standin_enqueue(cudaStream_t stream, std::function<void()> work);

/// The kernel that runs did what no kernel may: a problem, said on stderr, too, and all later calls of CUDA by its rank
/// return cudaErrorLaunchFailure.
void standin_kernel_failed(const std::string& what);

/// Control of the stand-in for CUDA, NCCL and cuBLASLt: devices that are memory of the host, ranks that are threads,
/// and streams whose work one scheduler runs in an order that only the program and a seed decide. A rank is a thread
/// that called cudaSetDevice, one for each device, until it ends or calls leave(). Work runs only while all ranks wait
/// in a call of the stand-in; so a rank that waits in another way, as at a barrier of the host, has to leave() before.
/// Ranks can be processes, too, with the devices in one of their own (hub/share_devices.h): what is said of threads
/// here is true of theirs. Their memory is not that of the devices, so that cudaMallocHost, and asynchronous copies
/// from or to the host, are cudaErrorNotSupported there.
namespace standin {

/// Which of the things that may run next does.
enum class Order : uint8_t {
  any,                ///< drawn by the seed
  last_issued_first,  ///< the youngest
  one_rank,           ///< one of the rank that ran last, as long as it has any; the seed draws among ranks
  priorities,         ///< each stream has a place in a list that the seed draws; the first that can go on does
};

/// In which order a reduction adds the ranks' terms; it rounds to the dtype after each.
enum class ReduceOrder : uint8_t {
  rotated,  ///< a cyclic order for each chunk of the array, as NCCL's rings do; the seed draws where they begin
  ranks,    ///< rank 0 first
};

/// How the stand-in behaves until the next reset.
struct Options {
  int devices = 8;
  int ranks = 0;  ///< nothing runs before this many ranks have called cudaSetDevice
  uint64_t seed = 0;
  Order order = Order::any;
  ReduceOrder reduce_order = ReduceOrder::rotated;
  bool hang_on_mismatch = false;  ///< collectives that do not match hang, as in NCCL, where else there is an error
  bool hang_on_deadlock =
      false;          ///< queries say `not ready` forever and waits do not end, where else there is an error
  int query_ms = 50;  ///< longest that ranks which wait do so for one that makes no call
  int64_t device_bytes = int64_t{1} << 34;
};

/// Errors that a call returns when it is made to fail, by library.
struct Errors {
  cudaError_t cuda = cudaErrorUnknown;
  ncclResult_t nccl = ncclSystemError;
  cublasStatus_t cublas = CUBLAS_STATUS_EXECUTION_FAILED;
};

/// Forgets devices, memory, communicators, problems, trace and faults, while no rank is in a call. Before the first
/// reset options are the default ones, with seed, devices, device_bytes and query_ms from
/// STANDIN_SEED, STANDIN_DEVICES, STANDIN_BYTES and STANDIN_QUERY_MS in the environment. With STANDIN_STRICT there, a
/// process that ends says its problems() and ends with code 70 if there are any. STANDIN_FAULT=RANK:CALL:KIND there is
/// one fault until the first reset, and stderr says where it came, or that it did not. CALL is the number of a call, or
/// the name of a function whose first call it is. The kinds: `error` as fail_at, `memory` the same with the errors of a
/// full memory, `gone` as stop_rank_at, `spoil` as spoil_from, with `hang` the call never returns, and
/// with `kill` the process of the rank is killed, which has to be one of its own. With STANDIN_CALLS the folder of that
/// name gets a file `rank_R` for each rank with a line for each call that goes to a stream, or makes a communicator
/// (witness.h).
void reset(const Options& options = {});

/// The calling thread is no rank any more.
void leave();

/// What the program did wrong: mismatches, deadlocks, accesses outside of memory, damaged guards, uses of what was
/// destroyed. Each has a line.
std::vector<std::string> problems();

/// What ran, in order: `rank 0 stream 1: copy 64 bytes`.
std::vector<std::string> trace();

/// The n-th call of a rank from the last reset on, counted from 1, returns an error and does nothing else. Rank -1 is
/// all threads that never called cudaSetDevice. Calls that only tell versions, names or errors are not counted.
void fail_at(int rank, int64_t n, const Errors& errors = {});

/// A rank dies at its n-th call: this and all later ones return cudaErrorDevicesUnavailable, ncclUnhandledCudaError or
/// CUBLAS_STATUS_NOT_INITIALIZED, its work never runs, and the members of its communicators get ncclRemoteError.
void stop_rank_at(int rank, int64_t n);

/// The first data that communication brings to a rank after its n-th call has other bits: bit 6 of its first 8 bytes.
void spoil_from(int rank, int64_t n);

/// How many calls a rank made, that can be made to fail, since the last reset.
int64_t calls(int rank);

}  // namespace standin
