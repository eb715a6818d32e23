// The arguments that a part of an experiment becomes.
#pragma once

#include <string>

#include "convert/megatron/writers.hpp"
#include "experiments.hpp"

namespace pipewright::test {

/// A small experiment, to which tests add.
inline const std::string small_experiment =
    "model: {transformer: {layers: 6, hidden: 256, heads: 4, vocabulary: 1024, gated: true}}\n"
    "cluster: {node: dgx-h100, nodes: 2, fabric: {kind: fat-tree, link: ndr, nics: 8}}\n"
    "parallel: {tensor: 2, pipeline: 4, data: 2, zero: 1}\n"
    "batch: {global: 16, micro: 1, sequence: 128}\nschedule: 1f1b\n";

/// The same on devices that multiply in MXFP8.
inline std::string on_blackwell() {
  std::string yaml = small_experiment;
  return yaml.replace(yaml.find("dgx-h100"), 8, "dgx-b200");
}

inline Experiment experiment_of(const std::string& yaml) {
  const config::Catalogue catalogue;
  return read_experiment(resolve(experiment(yaml), catalogue));
}

using PartWriter = void (*)(const Experiment&, megatron::ArgumentLines&);

/// Returns what `write` says, without the blanks that its lines begin with.
inline std::string lines_of(PartWriter write, const std::string& yaml) {
  megatron::ArgumentLines lines;
  write(experiment_of(yaml), lines);
  std::string text = lines.text();
  for (size_t at = text.find("    "); at != std::string::npos; at = text.find("    "))
    text.erase(at, 4);
  return text;
}

}  // namespace pipewright::test
