// Fused attention of training, from times measured forward and backward: of F FLOPs, n numbers of
// queries, s queries in a sequence, P processors and B bytes a second of memory
//   time = (F + 2 n e) (D / d) (1 + x / D) (1 + t P / blocks) / (r P) + b n / B
// D is a head's numbers d rounded up to 32, which its kernels pad. x is what softmax costs, in
// numbers of a head. Each query costs as much as e / 2 more keys would: what its block loads and
// stores, and what the edge of a mask wastes; backward that is 2.5 times as much, as F is. Blocks
// are of 128 queries of one head: the last ones leave processors idle (t). Backward, kernels before
// and after the one of the products move b bytes a number. Heads of more than 128 numbers keep
// `wide` of the rate.
#pragma once

#include <vector>

#include "cost/held_out.hpp"
#include "topology/device.hpp"
#include "workload/work.hpp"

namespace pipewright {

struct FusedAttentionConstants {
  double rate = 0;     ///< FLOP/s of a processor
  double softmax = 0;  ///< x, in numbers of a head
  double edge = 0;     ///< e, in tokens
  double tail = 0;     ///< t
  double bytes = 0;    ///< b, for each number of the queries
  double wide = 1;     ///< of the rate, for heads of more than 128 numbers
  double steady = 1;   ///< of the rate, kept in a run of minutes
};

/// The fused attention of one pass; all gradients are one pass.
struct FusedAttentionProfile {
  bool gradient = false;
  FusedAttentionConstants constants;
  double most_tokens = 0;  ///< of a measured sequence
  std::vector<HeldOutError> held_out;
};

/// Returns the seconds of `work` on `device`, of known processors, without its launch, in a run of
/// minutes. `kept` is the share of the measured rate that a processor of the device has.
double fused_attention_seconds(const Work& work, const Device& device,
                               const FusedAttentionConstants& constants, double kept);

}  // namespace pipewright
