#include "sim/kernels/helpers.h"

namespace isoshard::sim {
namespace {

// A kernel is called through domains and operations that know nothing of threads, as a parallel region of OpenMP is.
thread_local Helpers* helpers_of_thread = nullptr;

}  // namespace

Helpers* Helpers::here() { return helpers_of_thread; }

HelpersHere::HelpersHere(Helpers* helpers) : former_(helpers_of_thread) { helpers_of_thread = helpers; }
HelpersHere::~HelpersHere() { helpers_of_thread = former_; }

}  // namespace isoshard::sim
