#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/support/quoted.h"
#include "core/support/result.h"
#include "core/text/text.h"

namespace isoshard::text {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 30;

tl::unexpected<Diagnostic> file_error(const std::string& path, const std::string& reason) {
  return failure("P-file", Location(), "cannot read " + isoshard::quoted(path, 400) + ": " + reason);
}

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

Result<std::shared_ptr<const SourceFile>> read_source(const std::string& path) {
  const std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return file_error(path, std::strerror(errno));
  struct stat status {};
  if (fstat(fileno(file.get()), &status) == 0 && S_ISDIR(status.st_mode)) {
    return file_error(path, "it is a directory; expected a .shard file");
  }
  auto source = std::make_shared<SourceFile>();
  source->name = path;
  char buffer[1 << 16];
  while (source->text.size() <= kMaxBytes) {
    const size_t count = std::fread(buffer, 1, sizeof buffer, file.get());
    source->text.append(buffer, count);
    if (count == 0) break;
  }
  if (std::ferror(file.get()) != 0) return file_error(path, std::strerror(errno));
  if (source->text.size() > kMaxBytes) return file_error(path, "it is larger than 1 GiB; expected a .shard file");
  return std::shared_ptr<const SourceFile>(std::move(source));
}

}  // namespace isoshard::text
