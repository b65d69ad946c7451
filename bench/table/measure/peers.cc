// Peers need Python and gigabytes of packages, so that the table does not run them: `bench/compare` does, and leaves
// what it has measured in build/compare.json. Without that file stand the numbers of 2026-11-21, of two cores of an AMD
// EPYC with AVX-512, which say how things are and are not the same machine's. A row says which it is.
#include "bench/table/measure/peers.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "bench/table/measure/numbers.h"

namespace isoshard::bench {
namespace {

using nlohmann::json;

/// Milliseconds: the least of each case, jax 0.10.2 and torch 2.15.0 with gloo.
const std::map<std::string, double>& recorded() {
  static const std::map<std::string, double> numbers{
      {"gloo/step/gathered/8", 129},  {"gloo/step/ring/8", 73},          {"jax/all_reduce/16MiB/64", 196},
      {"jax/all_reduce/16MiB/8", 10}, {"jax/forward/gathered/64", 72.4}, {"jax/forward/gathered/8", 24.7},
      {"jax/forward/ring/64", 478},   {"jax/forward/ring/8", 27.8},      {"jax/gpipe/8", 52.7},
      {"jax/step/gathered/64", 30.4}, {"jax/step/gathered/8", 5.61},     {"jax/step/ring/64", 543},
      {"jax/step/ring/8", 11.3}};
  return numbers;
}

struct PeerTime {
  double milliseconds;
  std::string from;
};

PeerTime peer_time(const std::string& name) {
  const char* given = std::getenv("ISOSHARD_COMPARE");
  std::ifstream file(given != nullptr ? given : ISOSHARD_SOURCE "/build/compare.json");
  if (file) {
    const json all = json::parse(file);
    const auto found = all.at("peers").find(name);
    if (found != all.at("peers").end()) {
      return {found->at("least_ms"), "bench/compare, " + all.at("date").get<std::string>()};
    }
  }
  const auto found = recorded().find(name);
  if (found == recorded().end()) throw std::logic_error("no peer is called " + name);
  return {found->second, "recorded, another machine"};
}

}  // namespace

Measured beside_peer(const std::string& name, double own_seconds) {
  const PeerTime peer = peer_time(name);
  return {peer.milliseconds / (1e3 * own_seconds),
          0,
          time_words(own_seconds) + " beside " + time_words(1e-3 * peer.milliseconds) + " (" +
              name.substr(0, name.find('/')) + ": " + peer.from + ")",
          {{"own_ms", 1e3 * own_seconds}, {"peer_ms", peer.milliseconds}}};
}

}  // namespace isoshard::bench
