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

double Jitter::factor(int32_t device, uint32_t place) const {
  const auto number = static_cast<size_t>(device);
  const int32_t whose = drawn_for.empty() ? device : drawn_for[number];
  const uint64_t index = uint64_t{static_cast<uint32_t>(whose)} << 32 | place;
  return std::exp(spread * normal(seed, index));
}

void apply_jitter(const Program& program, const Jitter& jitter, std::vector<Time>& durations) {
  std::vector<uint32_t> places(program.ranks.size());
  for (OpId op = 0; op < durations.size(); ++op) {
    if (!computes(program.type(op))) continue;
    const uint32_t rank = program.ops[op].rank;
    const double factor = jitter.factor(program.ranks[rank].device, places[rank]++);
    durations[op] = seconds(in_seconds(durations[op]) * factor);
  }
}

}  // namespace pipewright
