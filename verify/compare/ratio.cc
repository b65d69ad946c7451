// Finds whether two values differ by a constant factor n/d, and says it in sizes of axes. The quotient of the first
// elements that are not 0 is formed in each lane, and every other element must agree with it. The fraction is found
// from the residue by the extended Euclidean algorithm, stopped where both numbers are small (rational reconstruction,
// Wang 1981), and must fit all lanes, each with its own prime. Words are products of axis sizes, those of suspected
// axes first; a factor that differs by one from such a product may be a sum that was added once too often. Cost: one
// pass, and 2^axes products for the words.
#include "verify/compare/ratio.h"

#include <bit>
#include <vector>

#include "sim/domains/exact_ring.h"
#include "sim/value/value.h"

namespace isoshard::verify {
namespace {

constexpr int64_t kLargest = 4096;

__extension__ using Signed128 = __int128;

/// Whether n = d * x mod m.
bool is_residue(const Ratio& r, uint64_t x, uint64_t m) {
  const Signed128 rest = (static_cast<Signed128>(r.denominator) * x - r.numerator) % static_cast<Signed128>(m);
  return rest == 0;
}

/// Half of the extended Euclidean algorithm: the pair (n, d) with n = d * x mod m and n, d small.
std::optional<Ratio> small_fraction(uint64_t x, uint64_t m) {
  int64_t r0 = static_cast<int64_t>(m), r1 = static_cast<int64_t>(x), t0 = 0, t1 = 1;
  while (r1 > kLargest) {
    const int64_t q = r0 / r1;
    const int64_t r2 = r0 - q * r1, t2 = t0 - q * t1;
    r0 = r1, r1 = r2, t0 = t1, t1 = t2;
  }
  if (t1 == 0 || t1 > kLargest || t1 < -kLargest) return std::nullopt;
  return t1 < 0 ? Ratio{-r1, -t1} : Ratio{r1, t1};
}

/// Products of axis sizes as text, the tuples with hinted axes first, then with fewer axes.
std::string product_of_sizes(int64_t value, const Mesh& mesh, const AxisSet& hint) {
  std::string best;
  int best_score = 0;
  for (uint32_t set = 1; set < (1U << mesh.axis_count()); ++set) {
    int64_t product = 1;
    int score = 1000 - 10 * std::popcount(set);
    std::string text;
    for (size_t a = 0; a < mesh.axis_count(); ++a) {
      if ((set >> a & 1U) == 0) continue;
      product *= mesh.axes()[a].size;
      score += hint.contains(AxisId(a)) ? 100 : 0;
      score -= mesh.axes()[a].size == 1 ? 500 : 0;
      text += (text.empty() ? "size(" : "*size(") + mesh.axes()[a].name + ")";
    }
    if (product == value && score > best_score && score > 500) best = text, best_score = score;
  }
  return best;
}

}  // namespace

std::optional<Ratio> reconstruct(std::span<const uint64_t> residues, std::span<const uint64_t> moduli) {
  if (residues.empty()) return std::nullopt;
  const std::optional<Ratio> ratio = small_fraction(residues[0], moduli[0]);
  for (size_t l = 0; ratio && l < residues.size(); ++l) {
    if (!is_residue(*ratio, residues[l], moduli[l])) return std::nullopt;
  }
  return ratio;
}

std::optional<Ratio> constant_ratio(const sim::ExactRing& ring, const sim::Value& x, const sim::Value& y) {
  const bool of_field = is_float(x.type.dtype) && x.storage.element_bytes == sizeof(uint32_t);
  if (!of_field || x.type != y.type || x.storage != y.storage) return std::nullopt;
  const std::vector<sim::PrimeField> fields = ring.residue_fields();
  std::vector<uint64_t> moduli;
  for (const sim::PrimeField& field : fields) moduli.push_back(field.modulus());
  const size_t n = static_cast<size_t>(x.size()), lanes = x.storage.planes;
  std::optional<std::vector<uint64_t>> ratio;
  for (size_t i = 0; i < n; ++i) {
    for (size_t l = 0; l < lanes; ++l) {
      const uint64_t a = x.plane<uint32_t>(l)[i], b = y.plane<uint32_t>(l)[i];
      if (b == 0 && a == 0) continue;
      if (b == 0) return std::nullopt;
      if (!ratio) {
        if (l != 0) return std::nullopt;
        ratio.emplace();
        for (size_t k = 0; k < lanes; ++k) {
          const uint64_t divisor = y.plane<uint32_t>(k)[i];
          if (divisor == 0) return std::nullopt;
          ratio->push_back(fields[k].multiply(x.plane<uint32_t>(k)[i], fields[k].inverse(divisor)));
        }
        if (!reconstruct(*ratio, moduli)) return std::nullopt;
      }
      if (a != fields[l].multiply((*ratio)[l], b)) return std::nullopt;
    }
  }
  return ratio ? reconstruct(*ratio, moduli) : std::nullopt;
}

std::string to_string(const Ratio& ratio) {
  std::string text = std::to_string(ratio.numerator);
  return ratio.denominator == 1 ? text : text + "/" + std::to_string(ratio.denominator);
}

std::string in_words(const Ratio& ratio, const Mesh& mesh, const AxisSet& hint, bool less_one) {
  if (ratio.denominator == 1 && ratio.numerator > 1) {
    const std::string exact = product_of_sizes(ratio.numerator, mesh, hint);
    if (!exact.empty() && !less_one) return exact;
    const std::string one_more = less_one ? product_of_sizes(ratio.numerator + 1, mesh, hint) : "";
    return one_more.empty() ? exact : one_more + "-1";
  }
  if (ratio.denominator == 1 && ratio.numerator == 1 && less_one) {
    const std::string one_more = product_of_sizes(2, mesh, hint);
    return one_more.empty() ? "" : one_more + "-1";
  }
  if (ratio.numerator == 1 && ratio.denominator > 1) {
    const std::string size = product_of_sizes(ratio.denominator, mesh, hint);
    if (size.empty()) return "";
    return size.find('*') == std::string::npos ? "1/" + size : "1/(" + size + ")";
  }
  return "";
}

}  // namespace isoshard::verify
