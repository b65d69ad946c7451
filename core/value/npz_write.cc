// Writes arrays as a .npz archive through libzip. Equal arrays give equal bytes: time, owner and permissions are fixed,
// and no local time zone takes part. The archive is built in memory and written to the path in one go (write_file.cc),
// so that a failure leaves no half of a file behind. An archive of no arrays is written by hand, because libzip would
// delete it. Names that a reader could not tell apart are refused. Cost: three copies of the arrays in memory. Members
// are stored or deflated, as the caller says; names are UTF-8.
#include <zip.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "core/support/quoted.h"
#include "core/support/result.h"
#include "core/support/write_file.h"
#include "core/value/npy.h"
#include "core/value/npz.h"
#include "core/value/zip_archive.h"

namespace isoshard {
namespace {

struct FreeSource {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Source = std::unique_ptr<zip_source_t, FreeSource>;
using Bytes = std::vector<std::byte>;

tl::unexpected<Diagnostic> cannot_write(const std::string& path, const std::string& reason) {
  return failure("N-write", {}, path + ": cannot be written (" + reason + ")");
}

/// Time, owner and permissions are fixed, so that equal arrays give equal files; zip's time starts in 1980. The MS-DOS
/// form is set because libzip converts a time_t through the local time zone.
bool fix_metadata(zip_t* archive, uint64_t index, const NpzWriteOptions& options) {
  constexpr zip_uint16_t kMidnight = 0, kFirstOfJanuary1980 = 1U << 5U | 1U;
  constexpr zip_uint32_t kPermissions = 0644U << 16U;
  const zip_int32_t method = options.deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE;
  return zip_file_set_dostime(archive, index, kMidnight, kFirstOfJanuary1980, 0) == 0 &&
         zip_file_set_external_attributes(archive, index, 0, ZIP_OPSYS_UNIX, kPermissions) == 0 &&
         zip_set_file_compression(archive, index, method, 0) == 0;
}

/// Adds `file` as `name`.npy; `file` must outlive the archive.
bool add_member(zip_t* archive, const std::string& name, const Bytes& file, const NpzWriteOptions& options) {
  Source data(zip_source_buffer(archive, file.data(), file.size(), 0));
  if (data == nullptr) return false;
  const zip_int64_t index = zip_file_add(archive, (name + ".npy").c_str(), data.get(), ZIP_FL_ENC_UTF_8);
  if (index < 0) return false;
  static_cast<void>(data.release());  // the archive owns it now
  return fix_metadata(archive, static_cast<uint64_t>(index), options);
}

Result<Bytes> read_back(const std::string& path, zip_source_t* source) {
  zip_stat_t stat;
  if (zip_source_stat(source, &stat) != 0 || (stat.valid & ZIP_STAT_SIZE) == 0 || zip_source_open(source) != 0) {
    return cannot_write(path, zip_error_strerror(zip_source_error(source)));
  }
  Bytes bytes(stat.size);
  uint64_t done = 0;
  for (zip_int64_t count = 1; done < bytes.size() && count > 0;
       done += static_cast<uint64_t>(std::max<zip_int64_t>(count, 0))) {
    count = zip_source_read(source, bytes.data() + done, bytes.size() - done);
  }
  zip_source_close(source);
  if (done != bytes.size()) return cannot_write(path, zip_error_strerror(zip_source_error(source)));
  return bytes;
}

/// The archive as bytes, built in memory.
Result<Bytes> encode(const std::string& path, std::span<const NamedTensor> arrays, const NpzWriteOptions& options) {
  ZipError error;
  const Source target(zip_source_buffer_create(nullptr, 0, 0, &error.error));
  if (target == nullptr) return cannot_write(path, zip_error_strerror(&error.error));
  std::vector<Bytes> files;  // read by zip_close
  files.reserve(arrays.size());
  ZipArchive archive(zip_open_from_source(target.get(), ZIP_TRUNCATE, &error.error));
  if (archive == nullptr) return cannot_write(path, zip_error_strerror(&error.error));
  zip_source_keep(target.get());  // closing the archive gives up one reference
  for (const NamedTensor& array : arrays) {
    files.push_back(write_npy(array.tensor));
    if (!add_member(archive.get(), array.name, files.back(), options)) {
      return cannot_write(path, "array " + quoted(array.name) + ": " + zip_strerror(archive.get()));
    }
  }
  if (zip_close(archive.get()) != 0) return cannot_write(path, zip_strerror(archive.get()));
  static_cast<void>(archive.release());  // closed
  return read_back(path, target.get());
}

/// What zip says for no files at all (libzip deletes such an archive instead).
Bytes empty_archive() {
  Bytes bytes(22);
  constexpr char kEnd[] = {'P', 'K', 5, 6};
  for (size_t i = 0; i < sizeof kEnd; ++i) bytes[i] = static_cast<std::byte>(kEnd[i]);
  return bytes;
}

Result<void> check_names(const std::string& path, std::span<const NamedTensor> arrays) {
  std::set<std::string> names;
  for (const NamedTensor& array : arrays) {
    if (array.name.empty() || array.name.size() > 65000 || array.name.find('\0') != std::string::npos) {
      return failure("N-name", {},
                     path + ": " + quoted(array.name) + " cannot be the name of an array in a .npz archive");
    }
    if (!names.insert(array.name).second) {
      return failure("N-duplicate", {},
                     path + ": array " + quoted(array.name) + " is to be written twice; expected each name once");
    }
  }
  return {};
}

}  // namespace

Result<void> write_npz(const std::string& path, std::span<const NamedTensor> arrays, NpzWriteOptions options) {
  Result<void> good = check_names(path, arrays);
  if (!good) return good;
  const Result<Bytes> bytes = arrays.empty() ? Result<Bytes>(empty_archive()) : encode(path, arrays, options);
  if (!bytes) return tl::unexpected<Diagnostic>(bytes.error());
  const tl::expected<void, std::string> written = write_file(path, *bytes);
  if (!written) return cannot_write(path, written.error());
  return {};
}

}  // namespace isoshard
