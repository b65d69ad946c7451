#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exec/backend.h"

namespace isoshard::exec {

/// On what ranks run.
enum class Device : uint8_t { cuda, cpu_standin };

/// The file name of the library with the backend of a device: `libisoshard_exec_cuda.so`.
std::string library_name(Device device);

/// The folders in which a backend is looked for, in order: $ISOSHARD_EXEC_PATH, that of the program, `../lib` of that.
std::vector<std::string> library_folders();

/// Loads the backend of a device, which stays loaded to the end of the process. `no_device` where there is none, or
/// where it cannot be loaded (what it needs is not there), `failed` where the library is none.
Outcome<Backend*> load_backend(Device device);

/// Devices that processes forked after this share, as long as it lives.
class SharedDevices {
 public:
  /// Of a backend that was loaded; also where its devices are no memory of this process, so that nothing is to be done.
  /// `failed` where the system has no more processes.
  static Outcome<std::unique_ptr<SharedDevices>> share(Device device);
  /// Lets ranks come to them that are not forked from this process: the place, which is empty where they need none.
  Outcome<std::string> open_door();
  ~SharedDevices();
  SharedDevices(const SharedDevices&) = delete;
  SharedDevices& operator=(const SharedDevices&) = delete;

 private:
  SharedDevices(OpenDoorFunction* door, EndSharingFunction* end) : open_door_(door), end_(end) {}
  OpenDoorFunction* open_door_;
  EndSharingFunction* end_;  ///< null: nothing to end
};

/// Makes this process one of those that share devices at such a place; nothing is to be done for an empty one.
Outcome<> join_devices(Device device, const std::string& place);

}  // namespace isoshard::exec
