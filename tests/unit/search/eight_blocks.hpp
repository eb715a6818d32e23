// A problem whose plans are shapes of one node.
#pragma once

#include "search/problem.hpp"
#include "support/experiments.hpp"

namespace pipewright::search {

/// A GPT of 8 blocks on a node of 8 GPUs.
inline Problem eight_blocks(const config::Catalogue& catalogue) {
  return {.experiment = test::experiment(
              "model: {transformer: {layers: 8, hidden: 1024, heads: 16, ffn: 4096, "
              "vocabulary: 32768}}\n"
              "cluster: {node: dgx-a100-80g, nodes: 1}\n"
              "batch: {global: 16, sequence: 256}\nschedule: 1f1b\n"),
          .catalogue = catalogue,
          .jobs = 1};
}

}  // namespace pipewright::search
