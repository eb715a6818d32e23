// What is written for the frameworks that train by Megatron-Core has in common.
#pragma once

#include "convert/formats/format.hpp"

namespace pipewright::convert {

/// Returns the writing of such a framework. The schedules are Megatron-Core's, and the example is
/// an experiment that all of them say.
inline Export megatron_core_writing(std::string_view help,
                                    void (*run)(const ExportRequest& request)) {
  return {.holds = "the job: model, degrees, batch, precision, recomputation",
          .help = help,
          .run = run,
          .takes_partial = true,
          .schedules =
              "[1f1b, {name: interleaved-1f1b, virtual: 2}, {name: interleaved-1f1b, virtual: 4}]",
          .example = R"(
model: {transformer: {layers: 4, hidden: 256, heads: 4, vocabulary: 1024}}
cluster: {node: dgx-h100, nodes: 1, fabric: {kind: fat-tree, link: ndr, nics: 8}}
parallel: {tensor: 2, pipeline: 2, virtual: 2, sequence: true, zero: 1}
batch: {global: 16, micro: 1, sequence: 128}
schedule: interleaved-1f1b
recompute: selective
)"};
}

}  // namespace pipewright::convert
