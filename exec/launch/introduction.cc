// What is compared before ranks meet: with another program, mesh or version on one of them NCCL would wait for ever, or
// add what does not belong together. Cost of a digest: a multiplication for each eight bytes.
#include "exec/launch/introduction.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/support/mix.h"
#include "exec/launch/messages.h"

namespace isoshard::exec {

Frame frame_of(const Introduction& introduction) {
  FrameWriter out(message::kRuns);
  out.put_text(introduction.device);
  for (const auto& [name, value] : introduction.runs) out.put_text(name).put_text(value);
  return out.frame();
}

std::optional<Introduction> introduction_in(const Frame& frame) {
  if (frame.kind != message::kRuns) return std::nullopt;
  Introduction introduction;
  FrameReader in(frame);
  const std::optional<std::string> device = in.take_text();
  if (!device) return std::nullopt;
  introduction.device = *device;
  while (!in.rest().empty()) {
    std::optional<std::string> name = in.take_text(), value = in.take_text();
    if (!name || !value) return std::nullopt;
    introduction.runs.emplace_back(std::move(*name), std::move(*value));
  }
  return introduction;
}

std::optional<std::string> difference(const Introduction& first, const Introduction& other, size_t rank) {
  const std::string who = "rank " + std::to_string(rank);
  for (size_t i = 0; i < std::max(first.runs.size(), other.runs.size()); ++i) {
    if (i >= first.runs.size() || i >= other.runs.size() || first.runs[i].first != other.runs[i].first) {
      return who + " is of another version of isoshard than rank 0; expected the same for all ranks";
    }
    const auto& [name, ours] = first.runs[i];
    const std::string& theirs = other.runs[i].second;
    if (ours == theirs) continue;
    return who + " has another " + name + " than rank 0: " + theirs + " and " + ours +
           "; expected the same command, and the same files, for all ranks";
  }
  return std::nullopt;
}

void Digest::add(const void* data, size_t bytes) {
  const auto* const first = static_cast<const unsigned char*>(data);
  state_ = mix(state_ ^ bytes);
  for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, first + i, std::min(sizeof word, bytes - i));
    state_ = mix(state_ + word + 0x9e3779b97f4a7c15ULL);
  }
}

std::string Digest::text() const {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(state_));
  return text;
}

}  // namespace isoshard::exec
