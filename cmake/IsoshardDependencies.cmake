# Everything comes from Debian 12 (the package list is cmake/debian-packages.txt); nothing is downloaded while building.

find_package(CLI11 CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_package(tl-expected CONFIG REQUIRED)
find_package(Threads REQUIRED)

# libzip's own CMake config asks for tools of other packages, and gmpxx has none: pkg-config it is.
find_package(PkgConfig REQUIRED)
pkg_check_modules(GMPXX REQUIRED IMPORTED_TARGET gmpxx)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(NETTLE REQUIRED IMPORTED_TARGET nettle)

if(ISOSHARD_BUILD_BENCHMARKS)
  find_package(benchmark CONFIG REQUIRED)
endif()
if(ISOSHARD_BUILD_TESTS)
  find_package(GTest CONFIG REQUIRED)
  find_package(rapidcheck CONFIG REQUIRED)
endif()
