// Devices, versions and the names of errors.
#include <cstdio>
#include <cstdlib>
#include <map>

#include "tests/standin/calls.h"

namespace standin {
namespace {

struct ErrorWords {
  const char* name;
  const char* text;
};

const ErrorWords& words_of(cudaError_t error) {
#define ISOSHARD_STANDIN_ERROR(name, text) \
  {                                        \
    name, { #name, text }                  \
  }
  static const std::map<cudaError_t, ErrorWords> words{
      ISOSHARD_STANDIN_ERROR(cudaSuccess, "no error"),
      ISOSHARD_STANDIN_ERROR(cudaErrorInvalidValue, "invalid argument"),
      ISOSHARD_STANDIN_ERROR(cudaErrorMemoryAllocation, "out of memory"),
      ISOSHARD_STANDIN_ERROR(cudaErrorDevicesUnavailable, "the device is busy or unavailable"),
      ISOSHARD_STANDIN_ERROR(cudaErrorNoDevice, "there is no device"),
      ISOSHARD_STANDIN_ERROR(cudaErrorInvalidDevice, "there is no such device"),
      ISOSHARD_STANDIN_ERROR(cudaErrorInvalidResourceHandle, "there is no such stream, event or graph"),
      ISOSHARD_STANDIN_ERROR(cudaErrorNotReady, "the device is not ready"),
      ISOSHARD_STANDIN_ERROR(cudaErrorIllegalAddress, "an access outside of memory"),
      ISOSHARD_STANDIN_ERROR(cudaErrorLaunchFailure, "a kernel failed"),
      ISOSHARD_STANDIN_ERROR(cudaErrorNotSupported, "not supported"),
      ISOSHARD_STANDIN_ERROR(cudaErrorStreamCaptureUnsupported, "not permitted while a stream is captured"),
      ISOSHARD_STANDIN_ERROR(cudaErrorStreamCaptureInvalidated, "an earlier error ended the capture"),
      ISOSHARD_STANDIN_ERROR(cudaErrorStreamCaptureMerge, "this would make one capture of two"),
      ISOSHARD_STANDIN_ERROR(cudaErrorStreamCaptureUnmatched, "the capture began on another stream"),
      ISOSHARD_STANDIN_ERROR(cudaErrorStreamCaptureUnjoined, "captured work was not joined to the first stream"),
      ISOSHARD_STANDIN_ERROR(cudaErrorStreamCaptureIsolation, "captured work would wait for work that is not"),
      ISOSHARD_STANDIN_ERROR(cudaErrorStreamCaptureImplicit, "the legacy stream would wait for captured work"),
      ISOSHARD_STANDIN_ERROR(cudaErrorCapturedEvent, "the event was last recorded in a capture"),
      ISOSHARD_STANDIN_ERROR(cudaErrorUnknown, "unknown error"),
  };
#undef ISOSHARD_STANDIN_ERROR
  static const ErrorWords none{"cudaErrorUnlisted", "an error that the stand-in has no words for"};
  const auto found = words.find(error);
  return found == words.end() ? none : found->second;
}

bool is_device(int device) { return device >= 0 && device < Machine::get().options().devices; }

}  // namespace
}  // namespace standin

using namespace standin;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  if (is_client()) return ask_cuda<cudaGetDeviceCount>(Out{count});
  return cuda_call([&](Lock&) {
    if (count == nullptr) return cudaErrorInvalidValue;
    *count = Machine::get().options().devices;
    return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
  });
}

cudaError_t cudaSetDevice(int device) {
  if (is_client()) return ask_cuda<cudaSetDevice>(device);
  {
    const Lock lock(Machine::get().mutex);
    if (!is_device(device)) return remembered(cudaErrorInvalidDevice);
    become_rank(device);
  }
  return cuda_call([](Lock&) { return cudaSuccess; });
}

cudaError_t cudaGetDevice(int* device) {
  if (is_client()) return ask_cuda<cudaGetDevice>(Out{device});
  return cuda_call([&](Lock&) {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = current_device();
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (is_client()) return ask_cuda<cudaGetDeviceProperties>(Out{properties}, device);
  return cuda_call([&](Lock&) {
    if (properties == nullptr) return cudaErrorInvalidValue;
    if (!is_device(device)) return cudaErrorInvalidDevice;
    *properties = {};
    std::snprintf(properties->name, sizeof properties->name, "stand-in");
    properties->totalGlobalMem = static_cast<size_t>(Machine::get().options().device_bytes);
    properties->sharedMemPerBlock = 48 << 10;
    properties->warpSize = 32;
    properties->maxThreadsPerBlock = 1024;
    properties->maxGridSize[0] = 2147483647;
    properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
    properties->major = 9;
    properties->multiProcessorCount = 132;
    properties->pciBusID = device;
    properties->l2CacheSize = 50 << 20;
    return cudaSuccess;
  });
}

/// A bus that no machine has.
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  if (id == nullptr || length < 13) return remembered(cudaErrorInvalidValue);
  std::snprintf(id, static_cast<size_t>(length), "ffff:%02x:00.0", static_cast<unsigned>(device) & 0xffu);
  return cudaSuccess;
}

/// STANDIN_DRIVER is another one.
cudaError_t cudaDriverGetVersion(int* version) {
  if (version == nullptr) return cudaErrorInvalidValue;
  const char* const asked = std::getenv("STANDIN_DRIVER");
  *version = asked != nullptr ? std::atoi(asked) : CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return cudaErrorInvalidValue;
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaGetLastError(void) { return last_error(true); }
cudaError_t cudaPeekAtLastError(void) { return last_error(false); }
const char* cudaGetErrorName(cudaError_t error) { return words_of(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return words_of(error).text; }

}  // extern "C"
