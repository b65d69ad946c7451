#pragma once

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <string>
#include <tuple>
#include <type_traits>

#include "exec/kernels/simt/in_library.h"
#include "tests/standin/remote/arguments.h"
#include "tests/standin/remote/channel.h"
#include "tests/standin/remote/message.h"
#include "tests/standin/remote/text_arguments.h"

/// Calls that are made in another process: that of the devices, where they are in one of their own (hub/).
namespace standin {

/// Whether calls of this process are made in that of the devices.
bool is_client();

/// From here on they are, or not any more: at `door` connections are taken.
void become_client(Channel door);
void be_no_client();

/// Sends a call of the calling thread; waits for its answer where `answer` is not null. False where the process of the
/// devices is gone.
bool exchange(const Writer& call, std::vector<std::byte>* answer);

/// How long the calling thread waits for each answer from here on, in seconds.
void set_patience(int seconds);

/// Opens a door at a path, at which processes are taken, too, that are not forked from this one; false where the system
/// does not allow it.
bool open_door(const std::string& path);
/// Calls of this process are made where that door leads to.
void become_client(const std::string& path);

/// Makes the call that a message is of, and writes its answer.
using MakeCall = void(Reader& in, Writer& out);

/// What calls return when the process of the devices is gone.
template <class Result>
Result without_devices() {
  if constexpr (std::is_same_v<Result, cudaError_t>) return cudaErrorDevicesUnavailable;
  if constexpr (std::is_same_v<Result, ncclResult_t>) return ncclUnhandledCudaError;
  if constexpr (std::is_same_v<Result, cublasStatus_t>) return CUBLAS_STATUS_NOT_INITIALIZED;
  return Result{};
}

/// Whether what a call returned says that it did what it was to do.
template <class Result>
bool is_success(const Result& result) {
  if constexpr (std::is_enum_v<Result>) return static_cast<int>(result) == 0;
  return true;
}

/// The part of ask() in the process of the devices.
template <auto Function, class... Arguments>
void make_call(Reader& in, Writer& out) {
  std::tuple<typename Arguments::There...> there{typename Arguments::There(in)...};
  std::apply(
      [&](auto&... arguments) {
        const auto result = Function(arguments.get()...);
        out.put(result);
        (arguments.write_back(out, is_success(result)), ...);
      },
      there);
}

/// The message of a call: who makes it, whether an answer is waited for, the arguments.
template <auto Function, class... Arguments>
Writer written(bool answers, const Arguments&... arguments) {
  Writer call;
  call.put(isoshard::exec::InLibrary<MakeCall>(&make_call<Function, Arguments...>));
  call.put(answers);
  (arguments.write(call), ...);
  return call;
}

template <auto Function, class... Arguments>
auto ask_with(const Arguments&... arguments) {
  using Result = decltype(Function(std::declval<typename Arguments::There&>().get()...));
  std::vector<std::byte> answer;
  if (!exchange(written<Function>(true, arguments...), &answer)) return without_devices<Result>();
  Reader in(answer);
  const auto result = in.take<Result>();
  (arguments.take_back(in), ...);
  return result;
}

/// Calls a function with these arguments in the process of the devices.
template <auto Function, class... Given>
auto ask(const Given&... given) {
  return ask_with<Function>(as_argument(given)...);
}

/// The same for a call whose result nobody looks at: it is not waited for.
template <auto Function, class... Given>
void tell(const Given&... given) {
  exchange(written<Function>(false, as_argument(given)...), nullptr);
}

}  // namespace standin
