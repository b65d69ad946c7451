// The backend of the library that this file is in: CUDA's where it is compiled with the headers of CUDA, that of the
// stand-in where it is compiled with those of tests/standin.
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstring>

#include "exec/backend.h"
#include "exec/device/device_rank.h"
#include "exec/device/status.h"

namespace isoshard::exec {
namespace {

/// `13.0` of 13000.
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string nccl_text(int version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

Outcome<int> nccl_version() {
  int version = 0;
  const ncclResult_t status = ncclGetVersion(&version);
  if (status != ncclSuccess) return tl::unexpected(nccl_failure(status, "ncclGetVersion", nullptr));
  return version;
}

/// Whether what is loaded can do what this library was compiled for. NCCL keeps what programs of older versions of the
/// same major version use, and a driver serves all versions of CUDA of its own major version and before.
Outcome<> versions_fit() {
  int driver = 0, runtime = 0;
  ISOSHARD_CUDA(cudaDriverGetVersion(&driver));
  ISOSHARD_CUDA(cudaRuntimeGetVersion(&runtime));
  if (driver == 0) return tl::unexpected(Failure{Failure::Kind::no_device, "there is no driver of a GPU"});
  if (driver / 1000 < runtime / 1000) {
    return tl::unexpected(Failure{Failure::Kind::failed, "the driver is for CUDA " + version_text(driver) +
                                                             ", and this program needs CUDA " + version_text(runtime) +
                                                             "; expected a newer driver, or a build with an older "
                                                             "toolkit"});
  }
  const Outcome<int> nccl = nccl_version();
  if (!nccl) return tl::unexpected(nccl.error());
  if (*nccl / 10000 == NCCL_VERSION_CODE / 10000 && *nccl >= NCCL_VERSION_CODE) return {};
  return tl::unexpected(Failure{Failure::Kind::failed, "the library of NCCL is version " + nccl_text(*nccl) +
                                                           ", and this program was compiled with the header of " +
                                                           nccl_text(NCCL_VERSION_CODE) +
                                                           "; expected that library or a newer one of the same major "
                                                           "version (LD_LIBRARY_PATH)"});
}

class DeviceBackend final : public Backend {
 public:
  Outcome<std::string> describe() override {
    cudaDeviceProp device{};
    int driver = 0, runtime = 0;
    ISOSHARD_CUDA(cudaGetDeviceProperties(&device, 0));
    ISOSHARD_CUDA(cudaDriverGetVersion(&driver));
    ISOSHARD_CUDA(cudaRuntimeGetVersion(&runtime));
    const Outcome<int> nccl = nccl_version();
    if (!nccl) return tl::unexpected(nccl.error());
    return std::string(device.name) + ", sm_" + std::to_string(device.major) + std::to_string(device.minor) +
           ", CUDA " + version_text(runtime) + ", driver for CUDA " + version_text(driver) + ", NCCL " +
           nccl_text(*nccl);
  }

  Outcome<int> devices() override {
    if (const Outcome<> fit = versions_fit(); !fit) return tl::unexpected(fit.error());
    int count = 0;
    ISOSHARD_CUDA(cudaGetDeviceCount(&count));
    if (count == 0) return tl::unexpected(Failure{Failure::Kind::no_device, "there is no GPU"});
    return count;
  }

  std::string bus_id(int device) override {
    char id[32] = "";
    const bool known = cudaDeviceGetPCIBusId(id, sizeof id, device) == cudaSuccess;
    cudaGetLastError();
    return known ? id : "";
  }

  Outcome<MeetingPoint> meeting_point() override {
    ncclUniqueId id;
    if (const ncclResult_t status = ncclGetUniqueId(&id); status != ncclSuccess) {
      return tl::unexpected(nccl_failure(status, "ncclGetUniqueId", nullptr));
    }
    MeetingPoint point;
    std::memcpy(point.data(), &id, sizeof id);
    return point;
  }

  Outcome<std::unique_ptr<Rank>> open(const calls::CallList& list, const Seat& seat,
                                      const RankOptions& options) override {
    return DeviceRank::open(list, seat, options);
  }
};

}  // namespace
}  // namespace isoshard::exec

/// See kBackendSymbol.
extern "C" __attribute__((visibility("default"))) isoshard::exec::Backend* isoshard_exec_backend() {
  static isoshard::exec::DeviceBackend backend;
  return &backend;
}
