// A pipe for each rank, and one thread that reads them all. Lines are written as a whole, so that those of two ranks do
// not mix. Cost: nothing while ranks print nothing.
#include "exec/run/rank_output.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace isoshard::exec {
namespace {

constexpr size_t kLongestLine = 1 << 14;

void write_line(size_t rank, const std::string& line) {
  const std::string text = "rank " + std::to_string(rank) + ": " + line + "\n";
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    done += static_cast<size_t>(count);
  }
}

/// Takes what has come; false at the end.
bool read_some(size_t rank, int descriptor, std::string& line) {
  char bytes[4096];
  const ssize_t count = read(descriptor, bytes, sizeof bytes);
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) return false;
  line.append(bytes, static_cast<size_t>(count));
  for (size_t end = 0; (end = line.find('\n')) != std::string::npos || line.size() > kLongestLine;) {
    const size_t length = std::min(end, kLongestLine);
    write_line(rank, line.substr(0, length));
    line.erase(0, length == end ? length + 1 : length);
  }
  return true;
}

}  // namespace

bool RankOutput::add(size_t rank) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  sources_.push_back(Source{rank, ends[0], ends[1]});
  return true;
}

void RankOutput::redirect() {
  for (Source& source : sources_) close(source.reads);
  dup2(sources_.back().writes, STDOUT_FILENO);
  dup2(sources_.back().writes, STDERR_FILENO);
  for (Source& source : sources_) close(source.writes);
  sources_.clear();
  setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // what is killed has printed what it had to say
}

bool RankOutput::begin() {
  for (Source& source : sources_) close(source.writes);
  try {
    thread_ = std::thread([this] { pass_on(); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

void RankOutput::pass_on() {
  while (!sources_.empty()) {
    std::vector<pollfd> polled;
    for (const Source& source : sources_) polled.push_back({source.reads, POLLIN, 0});
    constexpr int kMilliseconds = 100;
    const int ready = poll(polled.data(), polled.size(), kMilliseconds);
    if (ready == 0 && ending_) return;  // a process that a rank has left behind keeps its pipe
    if (ready <= 0) continue;
    std::vector<Source> left;
    for (size_t i = 0; i < polled.size(); ++i) {
      Source& source = sources_[i];
      if (polled[i].revents == 0 || read_some(source.rank, source.reads, source.line)) {
        left.push_back(std::move(source));
        continue;
      }
      if (!source.line.empty()) write_line(source.rank, source.line);
      close(source.reads);
    }
    sources_ = std::move(left);
  }
}

void RankOutput::finish() {
  ending_ = true;
  if (thread_.joinable()) thread_.join();
}

}  // namespace isoshard::exec
