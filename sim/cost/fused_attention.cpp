#include "cost/fused_attention.hpp"

#include <algorithm>
#include <cmath>

#include "base/units.hpp"

namespace pipewright {
namespace {

constexpr int64_t padding = 32, widest_head = 128;
constexpr double rows_of_block = 128;

}  // namespace

double fused_attention_seconds(const Work& work, const Device& device,
                               const FusedAttentionConstants& constants, double kept) {
  const auto [batch, heads, queries, head_dim] = work.shape;
  const int64_t d = std::max<int64_t>(head_dim, 1);
  const double padded = as_double((d + padding - 1) / padding * padding);
  const double sequences = as_double(std::max<int64_t>(batch * heads, 1));
  const double tokens = as_double(std::max<int64_t>(queries, 1));
  const double blocks = sequences * std::ceil(tokens / rows_of_block);
  const double rate = constants.rate * constants.steady * device.processors * kept *
                      (d > widest_head ? constants.wide : 1);
  const double numbers = sequences * tokens * as_double(d);
  const double passes = work.direction == Direction::forward ? 1 : 2.5;
  const double products = (work.flops + 2 * numbers * constants.edge * passes) *
                          (padded / as_double(d)) * (1 + constants.softmax / padded) / rate;
  const double idle = 1 + constants.tail * device.processors / blocks;
  return products * idle + constants.bytes * numbers / device.memory_bandwidth.bytes_per_s;
}

}  // namespace pipewright
