// V-Min (arXiv 2405.15362): two chunks a rank in a V, about a third of 1F1B's activation memory.
//
// Building block on rank i, in slots: F of stage i at i, F of stage 2p-1-i at 2p-1-i, its I at
// 2p+g+i, I of stage i at 4p+g-1-i, with g = 2 where 3 divides p, else 0; repeated every 6 slots,
// then squeezed (building_block.hpp). From F to W 4, 6, 8 chunks at most for p = 4, 6, 8 (1F1B: 2p
// chunks of this size). One weight version. With tF = tI = tW = t per chunk and no hop latency,
// max span - 6mt is 11t, 17t, 27t for p = 4, 6, 8, whatever m is. With unequal times the bubble
// grows with m.
#include "schedule/building_block.hpp"
#include "schedule/kinds/registry.hpp"

namespace pipewright::schedule {
namespace {

Schedule build_v_min(const Shape& shape, const config::Value& options) {
  fields_of(kind::v_min, options);  // it has none
  const int p = shape.ranks, g = p % 3 == 0 ? 2 : 0;
  std::vector<Block> blocks;
  for (int i = 0; i < p; ++i)
    blocks.push_back({i, 2 * p - 1 - i, 2 * p + g + i, 4 * p + g - 1 - i});
  return repeat_block(shape, blocks);
}

}  // namespace

const Kind kind::v_min{
    "v-min", {}, "a third of 1F1B's activations, two thirds of its bubble", build_v_min};

}  // namespace pipewright::schedule
