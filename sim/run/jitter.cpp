#include "run/jitter.hpp"

#include <cmath>
#include <numbers>

#include "base/mixed.hpp"
#include "program/computes.hpp"

namespace pipewright {
namespace {

/// Returns a number above 0 and at most 1.
double uniform(uint64_t bits) { return static_cast<double>((bits >> 11) + 1) * 0x1p-53; }

}  // namespace

double normal(uint64_t seed, uint64_t index) {
  const uint64_t first = mixed(seed ^ mixed(index));
  const double radius = std::sqrt(-2 * std::log(uniform(first)));
  return radius * std::cos(2 * std::numbers::pi * uniform(mixed(first)));
}

double Jitter::factor(OpId op) const { return std::exp(spread * normal(seed, op)); }

void apply_jitter(const Program& program, const Jitter& jitter, std::vector<Time>& durations) {
  for (OpId op = 0; op < durations.size(); ++op)
    if (computes(program.type(op)))
      durations[op] = seconds(in_seconds(durations[op]) * jitter.factor(op));
}

}  // namespace pipewright
