// Exchanges of tokens with experts: which bring tokens to the experts, and which bring them back.
//
// Megatron-Core has three dispatchers. Of all-to-all, an exchange that takes what another gave and
// gives what that took brings back; beside the tokens their weights (probs) may go to the experts
// alone. Of all-gather, the reduce-scatter brings back. DeepEP's kernels are called dispatch and
// combine, and ranks wait for each other in the announcement of either. In backward passes it is
// the same. Where exchanges of all with all do not say their bytes, every second one brings back.
#pragma once

#include <string>
#include <vector>

#include "base/units.hpp"

namespace pipewright::diagnose {

enum class ExchangeWay : uint8_t {
  none,  ///< it exchanges no tokens
  unknown,
  announcement,  ///< of the exchange that follows
  to_experts,
  back
};

/// What a collective or a kernel of the experts' traffic does, by its name.
ExchangeWay exchange_way(const std::string& name);

/// An exchange of tokens with experts, and the pass that it is in.
struct ExpertExchange {
  size_t operation = 0;  ///< place among the operations of the rank
  Time length;
  int32_t collective = -1;  ///< place in the collectives of the profile
  ExchangeWay way = ExchangeWay::unknown;
  int64_t sent = 0, received = 0;  ///< bytes; 0: it does not say
};

/// Tells the ways of the exchanges of one pass that are unknown.
void tell_ways(std::vector<ExpertExchange>& of_pass);

/// The ranks that exchange tokens by a kernel of DeepEP, which its name has:
/// "intranode::dispatch<4,
/// ..." is of 4 ranks, "internode::dispatch<false, 8, ..." of 8 nodes of 8 ranks. 0: it is none.
int deep_ep_ranks(const std::string& kernel);

}  // namespace pipewright::diagnose
