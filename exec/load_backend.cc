// Finds and loads the library with a backend. It is no part of the program, which so starts where there is no CUDA: the
// dynamic linker finds CUDA and NCCL only when a backend is asked for. The first folder that has the file decides, so
// that a library which cannot be loaded is told and not passed over. Names are resolved at once (RTLD_NOW), since a
// missing one would end the process in the middle of a step, and stay local, since both backends have the same names.
// Cost: some file look-ups and what the library needs.
#include "exec/load_backend.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace isoshard::exec {
namespace {

std::string program_folder() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "." : program.parent_path().string();
}

std::string device_name(Device device) { return device == Device::cuda ? "CUDA" : "the stand-in of CUDA on the CPU"; }

Failure not_found(Device device) {
  std::string folders;
  for (const std::string& folder : library_folders()) folders += (folders.empty() ? "" : ", ") + folder;
  const std::string what_to_do = device == Device::cuda
                                     ? "it is built where the CUDA toolkit and NCCL are found: configure with "
                                       "-DISOSHARD_CUDA=ON -DISOSHARD_NCCL=ON"
                                     : "it is built beside isoshard: build the target isoshard_exec_standin";
  return {Failure::Kind::no_device, "there is no backend for " + device_name(device) + ": " + library_name(device) +
                                        " is in none of " + folders + "; " + what_to_do +
                                        ", or name its folder in ISOSHARD_EXEC_PATH"};
}

std::string last_error() {
  const char* text = dlerror();
  return text != nullptr ? text : "no reason is given";
}

/// A library that was loaded.
struct Library {
  std::string path;
  void* handle;
  template <class Function>
  Function* find(const char* symbol) const {
    return reinterpret_cast<Function*>(dlsym(handle, symbol));
  }
};

Outcome<Library> load(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return Library{path, handle};
  return tl::unexpected(Failure{Failure::Kind::no_device, path + " cannot be loaded: " + last_error() +
                                                              "; expected the libraries it needs, or their folder in "
                                                              "LD_LIBRARY_PATH"});
}

Outcome<Library> load(Device device) {
  for (const std::string& folder : library_folders()) {
    const std::string path = (std::filesystem::path(folder) / library_name(device)).string();
    if (access(path.c_str(), F_OK) == 0) return load(path);
  }
  return tl::unexpected(not_found(device));
}

}  // namespace

std::string library_name(Device device) {
  return device == Device::cuda ? "libisoshard_exec_cuda.so" : "libisoshard_exec_standin.so";
}

std::vector<std::string> library_folders() {
  std::vector<std::string> folders;
  const char* named = std::getenv("ISOSHARD_EXEC_PATH");
  if (named != nullptr && *named != '\0') folders.emplace_back(named);
  const std::string own = program_folder();
  folders.push_back(own);
  folders.push_back((std::filesystem::path(own).parent_path() / "lib").string());
  return folders;
}

Outcome<Backend*> load_backend(Device device) {
  const Outcome<Library> library = load(device);
  if (!library) return tl::unexpected(library.error());
  auto* make = library->find<BackendFunction>(kBackendSymbol);
  Backend* backend = make != nullptr ? make() : nullptr;
  if (backend != nullptr) return backend;
  return tl::unexpected(Failure{Failure::Kind::failed, library->path + " is no backend: it has no " + kBackendSymbol +
                                                           " that makes one; build it together with isoshard"});
}

Outcome<std::unique_ptr<SharedDevices>> SharedDevices::share(Device device) {
  const Outcome<Library> library = load(device);
  if (!library) return tl::unexpected(library.error());
  auto* begin = library->find<ShareDevicesFunction>(kShareDevicesSymbol);
  auto* end = library->find<EndSharingFunction>(kEndSharingSymbol);
  auto* open_door = library->find<OpenDoorFunction>(kOpenDoorSymbol);
  if (begin == nullptr || end == nullptr) return std::unique_ptr<SharedDevices>(new SharedDevices(nullptr, nullptr));
  if (begin()) return std::unique_ptr<SharedDevices>(new SharedDevices(open_door, end));
  return tl::unexpected(Failure{Failure::Kind::failed, "no more processes, or sockets, for devices"});
}

Outcome<std::string> SharedDevices::open_door() {
  if (end_ == nullptr) return std::string();
  const char* const place = open_door_ != nullptr ? open_door_() : nullptr;
  if (place != nullptr) return std::string(place);
  return tl::unexpected(
      Failure{Failure::Kind::failed, "no place in $TMPDIR, or /tmp, at which other processes come to the devices"});
}

Outcome<> join_devices(Device device, const std::string& place) {
  if (place.empty()) return {};
  const Outcome<Library> library = load(device);
  if (!library) return tl::unexpected(library.error());
  auto* join = library->find<JoinDevicesFunction>(kJoinDevicesSymbol);
  if (join != nullptr && join(place.c_str())) return {};
  return tl::unexpected(Failure{Failure::Kind::failed, "the devices of rank 0 are not at " + place +
                                                           "; those of the stand-in are for ranks of one machine"});
}

SharedDevices::~SharedDevices() {
  if (end_ != nullptr) end_();
}

}  // namespace isoshard::exec
