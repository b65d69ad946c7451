// Reads the arrays of a .npz archive, a zip file of .npy members, through libzip. Archives may come from anywhere, so
// everything that can be refused is refused from the directory before any data is inflated: names that are no arrays or
// occur twice, encryption, other methods of packing, sizes that cannot be true, and archives that inflate too far (zip
// bombs). Each member is then read as far as it claims and one byte more, since the checksum is compared only at its
// end. The first bytes of a file tell what it is instead where libzip only says that it is no archive. Cost: one pass
// over the data, one member in memory besides its array.
#include <sys/stat.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/support/quoted.h"
#include "core/support/result.h"
#include "core/value/npy.h"
#include "core/value/npz.h"
#include "core/value/zip_archive.h"

namespace isoshard {
namespace {

struct Close {
  void operator()(FILE* file) const { std::fclose(file); }
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};

using File = std::unique_ptr<FILE, Close>;
using Member = std::unique_ptr<zip_file_t, Close>;
using Failure = tl::unexpected<Diagnostic>;

constexpr size_t kStart = 8;  // bytes shown of a file that is no archive
constexpr const char* kExpected = "expected an archive written by numpy.savez";

Failure cannot_open(const std::string& path, int error) {
  return failure("N-open", {},
                 path + ": cannot be opened (" + std::generic_category().message(error) + "); " + kExpected);
}

/// An open regular file and its bytes; other kinds of file cannot be sought in.
Result<std::pair<File, uint64_t>> open_file(const std::string& path) {
  File file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) return cannot_open(path, errno);
  struct stat status {};
  if (::fstat(::fileno(file.get()), &status) != 0) return cannot_open(path, errno);
  if (S_ISDIR(status.st_mode)) return failure("N-open", {}, path + ": is a directory; " + kExpected);
  if (!S_ISREG(status.st_mode)) return failure("N-open", {}, path + ": is not a regular file; " + kExpected);
  return std::pair<File, uint64_t>(std::move(file), static_cast<uint64_t>(status.st_size));
}

/// libzip has one answer for an empty, a foreign and a truncated file; the first bytes tell them apart.
Result<void> check_magic(const std::string& path, std::string_view start) {
  if (start.empty()) return failure("N-magic", {}, path + ": is empty; " + kExpected);
  if (start.starts_with("\x93NUMPY")) {
    return failure("N-magic", {},
                   path + ": is a single .npy array; " + kExpected + ", as in numpy.savez(path, name=array)");
  }
  if (start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06")) return {};
  if (start.size() < 4 && std::string_view("PK\x03").starts_with(start)) {
    return failure("N-truncated", {},
                   path + ": is truncated after " + std::to_string(start.size()) + " bytes; " + kExpected);
  }
  return failure("N-magic", {}, path + ": is not a .npz archive (it starts with " + quoted(start) + "); " + kExpected);
}

Failure cannot_read_archive(const std::string& path, zip_error_t* error) {
  if (zip_error_code_zip(error) == ZIP_ER_NOZIP) {
    return failure("N-truncated", {},
                   path + ": is truncated: it starts as a .npz archive, but the list of arrays at its end is missing");
  }
  return failure("N-archive", {},
                 path + ": is damaged and cannot be read as a .npz archive (" + zip_error_strerror(error) + ")");
}

/// Opens the archive in `source` (null: see `error`), which it then owns.
Result<ZipArchive> open_archive(const std::string& path, zip_source_t* source, zip_error_t* error) {
  if (source == nullptr) return cannot_read_archive(path, error);
  ZipArchive archive(zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, error));
  if (archive == nullptr && zip_error_code_zip(error) == ZIP_ER_EXISTS) {
    archive.reset(zip_open_from_source(source, ZIP_RDONLY, error));  // NpzReader names the duplicate
  }
  if (archive != nullptr) return archive;
  zip_source_free(source);
  return cannot_read_archive(path, error);
}

/// Reads the members of one open archive one after the other.
class NpzReader {
 public:
  NpzReader(const std::string& path, uint64_t file_bytes, const NpzLimits& limits, zip_t* archive)
      : path_(path), file_bytes_(file_bytes), limits_(limits), archive_(archive) {}

  Result<std::vector<NamedTensor>> read() {
    const auto count = static_cast<uint64_t>(zip_get_num_entries(archive_, 0));
    std::vector<zip_stat_t> members(count);
    for (uint64_t i = 0; i < count; ++i) {
      const Result<void> good = stat(i, members[i]);
      if (!good) return tl::unexpected<Diagnostic>(good.error());
    }
    std::vector<NamedTensor> arrays;
    for (const zip_stat_t& member : members) {
      Result<Tensor> tensor = read_member(member);
      if (!tensor) return tl::unexpected<Diagnostic>(std::move(tensor.error()));
      arrays.push_back(NamedTensor{std::string(array_name(member)), std::move(*tensor)});
    }
    return arrays;
  }

 private:
  static std::string_view array_name(const zip_stat_t& member) {
    const std::string_view name(member.name);
    return name.substr(0, name.size() - 4);
  }

  std::string subject(const zip_stat_t& member) const { return path_ + ": array " + quoted(array_name(member)); }

  /// Everything that can be refused before any data is read.
  Result<void> stat(uint64_t index, zip_stat_t& member) {
    constexpr uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_INDEX | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE |
                                 ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if (zip_stat_index(archive_, index, ZIP_FL_ENC_RAW, &member) != 0 || (member.valid & kNeeded) != kNeeded) {
      return failure("N-archive", {}, path_ + ": is damaged: member " + std::to_string(index) + " cannot be read");
    }
    const std::string_view name(member.name);
    if (!name.ends_with(".npy")) {
      return failure("N-member", {},
                     path_ + ": member " + quoted(name) + " is not an array; expected names that end in .npy");
    }
    if (!names_.insert(std::string(name)).second) {
      return failure("N-duplicate", {}, subject(member) + " is there twice; expected each name once");
    }
    if (member.encryption_method != ZIP_EM_NONE) {
      return failure("N-member", {}, subject(member) + " is encrypted; " + kExpected);
    }
    if (member.comp_method != ZIP_CM_STORE && member.comp_method != ZIP_CM_DEFLATE) {
      return failure("N-member", {},
                     subject(member) + " is packed with zip method " + std::to_string(member.comp_method) +
                         "; expected 0 (stored) or 8 (deflated)");
    }
    return check_limits(member);
  }

  bool inflates_too_far(uint64_t size, uint64_t stored) const {
    return size > limits_.free_inflation && size / limits_.max_ratio >= std::max<uint64_t>(stored, 1);
  }

  Result<void> check_limits(const zip_stat_t& member) {
    const std::string size = std::to_string(member.size);
    if (member.comp_size > file_bytes_ || (member.comp_method == ZIP_CM_STORE && member.comp_size != member.size)) {
      return failure(
          "N-archive", {},
          subject(member) + " is damaged: it claims " + size + " bytes in a file of " + std::to_string(file_bytes_));
    }
    if (member.size > limits_.max_bytes - total_) {
      return failure("N-inflate", {},
                     subject(member) + " brings the archive to more than " + std::to_string(limits_.max_bytes) +
                         " bytes (it claims " + size + "), which is refused");
    }
    total_ += member.size;
    const bool alone = inflates_too_far(member.size, member.comp_size);
    if (alone || inflates_too_far(total_, file_bytes_)) {
      return failure("N-inflate", {},
                     subject(member) + " would inflate " + std::to_string(alone ? member.comp_size : file_bytes_) +
                         " bytes to " + std::to_string(alone ? member.size : total_) + ", " +
                         std::to_string(limits_.max_ratio) +
                         " times or more, which is refused; store it with numpy.savez if this is meant");
    }
    return {};
  }

  Failure bad_data(const zip_stat_t& member, zip_error_t* error) const {
    if (zip_error_code_zip(error) == ZIP_ER_CRC)
      return failure("N-data", {}, subject(member) + " is damaged: its checksum (CRC-32) is wrong");
    return failure("N-data", {},
                   subject(member) + " is damaged and cannot be read (" + zip_error_strerror(error) + ")");
  }

  Result<Tensor> read_member(const zip_stat_t& member) {
    const Member file(zip_fopen_index(archive_, member.index, 0));
    if (file == nullptr) return bad_data(member, zip_get_error(archive_));
    try {
      const std::shared_ptr<std::byte> data = allocate_aligned(member.size);
      const Result<void> complete = fill(member, file.get(), data.get());
      if (!complete) return tl::unexpected<Diagnostic>(complete.error());
      return read_npy({data.get(), member.size}, subject(member));
    } catch (const std::bad_alloc&) {
      return failure(
          "N-inflate", {},
          subject(member) + " needs " + std::to_string(member.size) + " bytes of memory, more than there is");
    }
  }

  /// Reads the stated bytes and the end behind them, which is where the checksum is compared.
  Result<void> fill(const zip_stat_t& member, zip_file_t* file, std::byte* data) const {
    for (uint64_t done = 0; done < member.size;) {
      const zip_int64_t count = zip_fread(file, data + done, member.size - done);
      if (count < 0) return bad_data(member, zip_file_get_error(file));
      if (count == 0) {
        return failure("N-data", {},
                       subject(member) + " is damaged: it ends after " + std::to_string(done) + " of " +
                           std::to_string(member.size) + " bytes");
      }
      done += static_cast<uint64_t>(count);
    }
    std::byte more{};
    const zip_int64_t count = zip_fread(file, &more, 1);
    if (count < 0) return bad_data(member, zip_file_get_error(file));
    if (count == 0) return {};
    return failure(
        "N-data", {},
        subject(member) + " is damaged: it has more bytes than the " + std::to_string(member.size) + " it claims");
  }

  const std::string& path_;
  uint64_t file_bytes_;
  const NpzLimits& limits_;
  zip_t* archive_;
  uint64_t total_ = 0;
  std::set<std::string> names_;
};

}  // namespace

Result<std::vector<NamedTensor>> parse_npz(std::span<const std::byte> bytes, const std::string& path,
                                           const NpzLimits& limits) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Result<void> good = check_magic(path, text.substr(0, kStart));
  if (!good) return tl::unexpected<Diagnostic>(good.error());
  ZipError error;
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error.error);
  Result<ZipArchive> archive = open_archive(path, source, &error.error);
  if (!archive) return tl::unexpected<Diagnostic>(std::move(archive.error()));
  return NpzReader(path, bytes.size(), limits, archive->get()).read();
}

Result<std::vector<NamedTensor>> read_npz(const std::string& path, const NpzLimits& limits) {
  Result<std::pair<File, uint64_t>> file = open_file(path);
  if (!file) return tl::unexpected<Diagnostic>(std::move(file.error()));
  char start[kStart];
  const size_t count = std::fread(start, 1, sizeof start, file->first.get());
  if (std::ferror(file->first.get()) != 0) return cannot_open(path, errno);
  const Result<void> good = check_magic(path, {start, count});
  if (!good) return tl::unexpected<Diagnostic>(good.error());
  ZipError error;
  zip_source_t* source = zip_source_filep_create(file->first.get(), 0, -1, &error.error);
  if (source != nullptr) static_cast<void>(file->first.release());  // the source closes it
  Result<ZipArchive> archive = open_archive(path, source, &error.error);
  if (!archive) return tl::unexpected<Diagnostic>(std::move(archive.error()));
  return NpzReader(path, file->second, limits, archive->get()).read();
}

}  // namespace isoshard
