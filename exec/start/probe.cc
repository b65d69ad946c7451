// How many devices there are, asked in a child: whoever asks CUDA makes a context that ranks forked later cannot use.
// The answer comes back as text through a pipe, a line for what is counted or the kind of failure, then the words.
// Cost: a fork and the start of CUDA, a second or so.
#include "exec/start/probe.h"

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <sstream>
#include <utility>

#include "exec/run/child.h"

namespace isoshard::exec {
namespace {

/// `d2 0000:3b:00.0 0000:5e:00.0`, then the description.
std::string to_text(const Outcome<Machine>& machine) {
  if (!machine) {
    return "f" + std::to_string(static_cast<int>(machine.error().kind)) + "\n" + machine.error().message;
  }
  std::string text = "d" + std::to_string(machine->devices);
  for (const std::string& id : machine->bus_ids) text += " " + id;
  return text + "\n" + machine->description;
}

Outcome<Machine> from_text(const std::string& text) {
  std::istringstream line(text.substr(1, text.find('\n') - 1));
  std::string words = text.substr(text.find('\n') + 1);
  int number = 0;
  line >> number;
  if (text[0] != 'd') return tl::unexpected(Failure{static_cast<Failure::Kind>(number), std::move(words)});
  Machine machine{number, {}, std::move(words)};
  for (std::string id; line >> id;) machine.bus_ids.push_back(id);
  machine.bus_ids.resize(static_cast<size_t>(number));
  return machine;
}

void write_all(int descriptor, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = write(descriptor, text.data() + done, text.size() - done);
    if (count <= 0) return;
    done += static_cast<size_t>(count);
  }
}

/// All that comes until the other end is closed; false where that takes too long.
bool read_all(int descriptor, double seconds, std::string& text) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    const std::chrono::duration<double, std::milli> left = end - std::chrono::steady_clock::now();
    if (left.count() <= 0) return false;
    pollfd polled{descriptor, POLLIN, 0};
    if (poll(&polled, 1, static_cast<int>(left.count()) + 1) <= 0) continue;
    char bytes[512];
    const ssize_t count = read(descriptor, bytes, sizeof bytes);
    if (count <= 0) return true;
    text.append(bytes, static_cast<size_t>(count));
  }
}

}  // namespace

Outcome<Machine> ask_machine(const OpenBackend& open_backend) {
  const Outcome<Backend*> backend = open_backend();
  if (!backend) return tl::unexpected(backend.error());
  const Outcome<int> devices = (*backend)->devices();
  if (!devices) return tl::unexpected(devices.error());
  if (*devices == 0) return tl::unexpected(Failure{Failure::Kind::no_device, "there is no GPU on this machine"});
  const Outcome<std::string> description = (*backend)->describe();
  if (!description) return tl::unexpected(description.error());
  Machine machine{*devices, {}, *description};
  for (int device = 0; device < *devices; ++device) machine.bus_ids.push_back((*backend)->bus_id(device));
  return machine;
}

Outcome<Machine> probe_machine(const OpenBackend& open_backend, double seconds) {
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) return tl::unexpected(Failure{Failure::Kind::failed, "no more pipes"});
  std::optional<Child> child = Child::start([&] {
    close(ends[0]);
    write_all(ends[1], to_text(ask_machine(open_backend)));
  });
  close(ends[1]);
  std::string text;
  const bool in_time = child && read_all(ends[0], seconds, text);
  close(ends[0]);
  if (!child) return tl::unexpected(Failure{Failure::Kind::failed, "no more processes"});
  if (!in_time) {
    return tl::unexpected(
        Failure{Failure::Kind::timed_out, "the backend did not say in time how many devices there are"});
  }
  if (text.find('\n') != std::string::npos) return from_text(text);
  return tl::unexpected(
      Failure{Failure::Kind::failed, "the process that asked the backend how many devices there are " + child->end()});
}

}  // namespace isoshard::exec
