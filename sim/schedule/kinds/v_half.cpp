// V-Half (arXiv 2405.15362): two chunks a rank in a V, half of 1F1B's activation memory.
//
// Building block on rank i, in slots: F of stage i at 2i, F of stage 2p-1-i at 3p-2-i, its I at
// 3p+g-1+2i, I of stage i at 6p+g-2-i, with g = 3 where p is even, else 0; repeated every 6 slots,
// then squeezed (building_block.hpp). p+2 chunks from F to W at most (1F1B: 2p chunks of this
// size). One weight version. With tF = tI = tW = t per chunk and no hop latency, max span - 6mt is
// 5t, 11t, 17t for p = 4, 6, 8, whatever m is. With unequal times the bubble grows with m.
#include "schedule/building_block.hpp"
#include "schedule/kinds/registry.hpp"

namespace pipewright::schedule {
namespace {

Schedule build_v_half(const Shape& shape, const config::Value& options) {
  fields_of(kind::v_half, options);  // it has none
  const int p = shape.ranks, g = p % 2 == 0 ? 3 : 0;
  std::vector<Block> blocks;
  for (int i = 0; i < p; ++i)
    blocks.push_back({2 * i, 3 * p - 2 - i, 3 * p + g - 1 + 2 * i, 6 * p + g - 2 - i});
  return repeat_block(shape, blocks);
}

}  // namespace

const Kind kind::v_half{
    "v-half", {}, "half of 1F1B's activations, half of its bubble", build_v_half};

}  // namespace pipewright::schedule
