// A problem of a plan that is quick to solve.
#pragma once

#include "gpt_on_eight_devices.hpp"

namespace pipewright::search {

/// A GPT of 4 blocks on 8 devices that no profile is read for: few plans, all of them quick.
inline Problem four_blocks(const config::Catalogue& catalogue, const std::string& more = "") {
  return {
      .experiment = gpt_on_eight_devices("layers: 4", "batch: {global: 8, sequence: 256}\n" + more),
      .catalogue = catalogue,
      .simulations = 1000,
      .jobs = 1};
}

}  // namespace pipewright::search
