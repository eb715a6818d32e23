// Layers of several mixers as arguments of Megatron-LM: hybrids of Mamba 2 and attention, and
// attention by the gated delta rule. The inverse of hybrid.cpp and gated_delta.cpp. Configurations
// of other frameworks say these by classes of their own.
#pragma once

#include "convert/megatron/argument_lines.hpp"
#include "experiment/experiment.hpp"
#include "workload/transformer/transformer_shape.hpp"

namespace pipewright::megatron {

/// Returns a letter for each layer, as --hybrid-layer-pattern has them; empty where the model is no
/// hybrid of Megatron-Core: where a layer has a mixer and an MLP, or one of another kind.
std::string hybrid_layers(const TransformerShape& shape);

/// Returns `lines` with what the layers of the experiment mix tokens by. Arguments that a hybrid
/// says by its pattern are not among them.
ArgumentLines with_mixers(const Experiment& experiment, const ArgumentLines& lines);

}  // namespace pipewright::megatron
