#include <algorithm>
#include <string>

#include "bench/table/measure/array_passes.h"
#include "bench/table/measure/kernel_products.h"
#include "bench/table/measure/residue_products.h"
#include "bench/table/table.h"
#include "sim/kernels/isa.h"

namespace isoshard::bench {
namespace {

std::string words(ProductSizes s) {
  return std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
}

/// What two cores of the machine of the baselines reach at 1024^3.
std::string product_limit(DType dtype, ProductSizes s, int workers) {
  if (s.m != 1024) return "";
  if (dtype == DType::f32) return workers == 1 ? "227 GF, recorded" : "431 GF, recorded";
  return workers == 1 ? "96 GF, recorded" : "186 GF, recorded";
}

Row product_row(DType dtype, ProductSizes s, int workers, Scale scale) {
  const bool small = s.m <= 64;
  const Target target = at_least(small ? 0.8 : workers == 1 ? 0.95 : 0.92, "x");
  const std::string name = std::string("product ") + (dtype == DType::f32 ? "f32 " : "f64 ") + words(s) + ", " +
                           std::to_string(workers) + (workers == 1 ? " worker" : " workers");
  ProductSizes run = s;
  if (scale == Scale::quick) run = {std::min<std::int64_t>(s.m, 64), std::min<std::int64_t>(s.n, 64), 64};
  return {"own products against OpenBLAS (m x n x k)", name, target, product_limit(dtype, s, workers), "", 60, [=] {
            return product_beside_open_blas(dtype, run, workers);
          }};
}

Row residue_row(ResidueRing ring, const char* name, double avx512, double avx2, Scale scale) {
  const std::int64_t n = scale == Scale::quick ? 32 : 512;
  return {"ring products, one core",
          name,
          at_least(sim::isa_supported(sim::Isa::avx512) ? avx512 : avx2, "Gop/s"),  // what the kernels can use
          ring == ResidueRing::mersenne31 ? "65 Gop/s is the aim" : "",
          "",
          60,
          [=] { return residue_product(ring, n); }};
}

Row loops_row(ResidueRing ring, const char* name, Scale scale) {
  const std::int64_t n = scale == Scale::quick ? 32 : 256;
  return {"ring products, one core", std::string(name) + " against a loop with %", at_least(20, "x"), "", "", 60, [=] {
            return residue_product_over_loops(ring, n);
          }};
}

Row pass_row(ArrayPass pass, const char* name, double percent, Scale scale) {
  const std::int64_t side = scale == Scale::quick ? 64 : 2048;  // 16 MiB
  return {"passes over 16 MiB of f32, against a copy or a read in the same run",
          name,
          at_least(percent, "%"),
          "",
          "",
          60,
          [=] { return array_pass(pass, side); }};
}

}  // namespace

Rows kernel_rows(Scale scale) {
  constexpr ProductSizes kSizes[] = {
      {512, 512, 512}, {1024, 1024, 1024}, {4096, 512, 2048}, {64, 256, 1024}, {8, 256, 256}};
  Rows rows;
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const ProductSizes& sizes : kSizes) {
      for (const int workers : {1, 2}) rows.push_back(product_row(dtype, sizes, workers, scale));
    }
  }
  rows.push_back(residue_row(ResidueRing::mersenne31, "product modulo 2^31-1", 30, 18, scale));
  rows.push_back(residue_row(ResidueRing::tower30, "product modulo a 30-bit prime", 30, 18, scale));
  rows.push_back(residue_row(ResidueRing::prime61, "product modulo a 61-bit prime", 4, 2, scale));
  rows.push_back(loops_row(ResidueRing::mersenne31, "product modulo 2^31-1", scale));
  rows.push_back(loops_row(ResidueRing::tower30, "product modulo a 30-bit prime", scale));
  rows.push_back(pass_row(ArrayPass::add, "add", 70, scale));
  rows.push_back(pass_row(ArrayPass::multiply_by_number, "multiply by a number", 70, scale));
  rows.push_back(pass_row(ArrayPass::exponential, "exponential", 70, scale));
  rows.push_back(pass_row(ArrayPass::tanh, "tanh", 70, scale));
  rows.push_back(pass_row(ArrayPass::slice, "slice of columns", 70, scale));
  rows.push_back(pass_row(ArrayPass::sum_of_rows, "sums of rows", 70, scale));
  rows.push_back(pass_row(ArrayPass::sum_of_columns, "sums of columns", 70, scale));
  rows.push_back(pass_row(ArrayPass::transpose, "transpose", 50, scale));
  return rows;
}

}  // namespace isoshard::bench
