// Explains an output of which each device's block is the reference's times a number of its own: the ratio of each
// block, where all its elements have one, read as a small rational. In a pipeline that tells which stage is off when
// everything inside the stages looks different. A block of zeros has no ratio: what is lost is no factor. Needs traces
// with values and a reference on one device. Costs one division in the ring per element of the output.
#include <utility>

#include "verify/answers/words.h"
#include "verify/causes/explain.h"
#include "verify/evidence/stored_blocks.h"

namespace isoshard::verify {
namespace {

/// What a block is of the reference's, where that is one small rational.
std::optional<Ratio> ratio_of_block(const Evidence& e, const StoredValue& stored) {
  const Fingerprinter& ring = e.matcher.fingerprinter();
  const std::vector<Fingerprint> wanted = reference_elements(e, stored);
  std::optional<Fingerprint> common;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Fingerprint got = ring.of_element(e.sharded.value(stored.value, stored.position), static_cast<int64_t>(i));
    if (got == Fingerprint{} && wanted[i] == Fingerprint{}) continue;
    if (!ring.is_unit(wanted[i])) return std::nullopt;
    const Fingerprint ratio = ring.multiply(got, ring.inverse(wanted[i]));
    if (common && *common != ratio) return std::nullopt;
    common = ratio;
  }
  return common ? ring.small_ratio(*common) : std::nullopt;
}

/// The devices whose blocks have one ratio.
struct Alike {
  Ratio ratio;
  std::vector<int64_t> positions;
};

/// Per ratio the devices with it, of all ranks that store `output`; empty where a block has none.
std::vector<Alike> block_ratios(const Evidence& e, uint32_t output) {
  std::vector<Alike> result;
  for (const StoredValue& stored : stored_values(e)) {
    if (stored.store->output != output) continue;
    const std::optional<Ratio> ratio = ratio_of_block(e, stored);
    if (!ratio || ratio->numerator == 0) return {};  // what is lost is no factor
    auto same = result.begin();
    while (same != result.end() && !(same->ratio == *ratio)) ++same;
    if (same == result.end()) same = result.insert(same, Alike{*ratio, {}});
    same->positions.push_back(stored.position);
  }
  return result;
}

}  // namespace

std::optional<Explanation> explain_by_blocks(const Evidence& e, uint32_t output) {
  const std::vector<Alike> ratios = block_ratios(e, output);
  if (ratios.size() < 2) return std::nullopt;
  std::vector<std::string> parts;
  for (const Alike& alike : ratios) {
    const std::string where = places_in_words(alike.positions, e.mesh());
    parts.push_back((alike.ratio.is_one() ? "right" : to_string(alike.ratio) + "x the right value") + " on " + where);
  }
  const std::string name = "@" + e.plan().outputs[output].name;
  return Explanation{
      name + " is " + enumerated(parts),
      "each device's block of " + name + " is one factor times that of @" + e.pair.reference.plan.program};
}

}  // namespace isoshard::verify
