// A file of algorithms in a run. Whoever shares it between machines keeps the entries of all: those of another device
// or version of cuBLASLt mean nothing here and stay as they are. It is read before ranks start, and written by the one
// process that starts them, as a whole and under another name first (core/support/write_file.h), so that nobody finds
// half of it; of two runs that end at the same time the later one is kept. Cost: the file, and a look-up per kind.
#include "exec/algorithms/algorithm_cache.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

#include "core/support/counted.h"
#include "core/support/quoted.h"
#include "core/support/result.h"
#include "core/support/write_file.h"
#include "exec/algorithms/algorithm_text.h"

namespace isoshard::exec {
namespace {

tl::unexpected<Diagnostic> refused(const std::string& path, const std::string& reason) {
  return failure("I-algorithms", Location(), "--algorithms " + quoted(path, 400) + ": " + reason);
}

std::string host_text(const AlgorithmHost& host) {
  std::string text(host.device.begin(), std::find(host.device.begin(), host.device.end(), '\0'));
  text += ", cuBLASLt ";
  return text += std::to_string(host.version);
}

size_t count_of(const std::map<std::pair<AlgorithmHost, ProductKind>, UsedAlgorithm>& used, AlgorithmOrigin origin) {
  return static_cast<size_t>(
      std::count_if(used.begin(), used.end(), [origin](const auto& one) { return one.second.origin == origin; }));
}

}  // namespace

Result<AlgorithmCache> AlgorithmCache::read(const std::string& path) {
  AlgorithmCache cache;
  cache.path_ = path;
  cache.known_ = std::make_shared<const std::vector<ProductAlgorithm>>();
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (status.type() == std::filesystem::file_type::not_found) return cache;
  if (!std::filesystem::is_regular_file(status)) return refused(path, "it is no ordinary file that can be read");
  std::ifstream stream(path, std::ios::binary);
  auto file = std::make_shared<SourceFile>();
  file->name = path;
  file->text.assign(std::istreambuf_iterator<char>(stream), {});
  if (!stream.is_open() || stream.bad()) return refused(path, "it cannot be read");
  Result<std::vector<ProductAlgorithm>> algorithms = parse_algorithms(file);
  if (!algorithms) return tl::unexpected(std::move(algorithms).error());
  cache.known_ = std::make_shared<const std::vector<ProductAlgorithm>>(std::move(*algorithms));
  return cache;
}

/// Ranks on one kind of device choose alike; of two choices the first counts.
void AlgorithmCache::note(const UsedAlgorithm& used) {
  hosts_.insert(used.algorithm.host);
  used_.try_emplace(key_of(used.algorithm), used);
}

Result<void> AlgorithmCache::write() const {
  if (count_of(used_, AlgorithmOrigin::known) == used_.size()) return {};
  std::vector<ProductAlgorithm> all = *known_;
  std::set<Key> placed;
  for (ProductAlgorithm& algorithm : all) {
    const auto used = used_.find(key_of(algorithm));
    if (used == used_.end()) continue;
    algorithm = used->second.algorithm;
    placed.insert(used->first);
  }
  for (const auto& [key, used] : used_) {
    if (placed.count(key) == 0) all.push_back(used.algorithm);
  }
  const std::string text = algorithms_text(all);
  const tl::expected<void, std::string> written = write_file(path_, std::as_bytes(std::span(text)));
  if (!written) return refused(path_, "it cannot be written: " + written.error());
  return {};
}

std::string AlgorithmCache::ignored_text() const {
  const auto is_ignored = [this](const ProductAlgorithm& one) { return hosts_.count(one.host) == 0; };
  const auto first = std::find_if(known_->begin(), known_->end(), is_ignored);
  if (first == known_->end() || hosts_.empty()) return "";
  const auto ignored = std::count_if(first, known_->end(), is_ignored);
  std::string text("; ignored, of another device or version: ");
  text += counted(ignored, "line") + ", the first is line " + std::to_string(first - known_->begin() + 2);
  text += " (" + host_text(first->host) + ")";
  return text;
}

std::string AlgorithmCache::text() const {
  const size_t chosen = count_of(used_, AlgorithmOrigin::chosen), refused = count_of(used_, AlgorithmOrigin::refused);
  std::string text("algorithms of ");
  text +=
      path_ + ": " + std::to_string(used_.size()) + (used_.size() == 1 ? " kind of product, " : " kinds of product, ");
  text += std::to_string(used_.size() - chosen - refused) + " known, " + std::to_string(chosen) + " chosen and written";
  if (refused != 0) text += "; chosen again, since cuBLASLt refuses those of the file: " + std::to_string(refused);
  return text + ignored_text() + "\n";
}

}  // namespace isoshard::exec
