#pragma once  // internal

#include <zip.h>

#include <memory>

namespace isoshard {

struct DiscardArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
/// An open archive; what was not written to its file with zip_close is discarded.
using ZipArchive = std::unique_ptr<zip_t, DiscardArchive>;

/// Messages of libzip live as long as the error.
struct ZipError {
  ZipError() { zip_error_init(&error); }
  ~ZipError() { zip_error_fini(&error); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  zip_error_t error{};
};

}  // namespace isoshard
