// A real model as the user names it: a catalogue entry, a file, an inline map, a Hugging Face
// configuration.
#pragma once

#include <optional>
#include <string>

#include "workload/cnn/cnn_shape.hpp"
#include "workload/model/measured_layers.hpp"
#include "workload/model/recurrent.hpp"
#include "workload/transformer/transformer_shape.hpp"

namespace pipewright {

struct Model {
  std::string description, source;
  std::optional<int64_t> sequence;   ///< tokens it was trained with; a run's default
  std::optional<int64_t> positions;  ///< the longest sequence that a configuration says
  std::optional<double> parameters;  ///< as published
  std::string left_out;              ///< what a Hugging Face configuration has beyond this
  // One of the four; the transformer where the others are not.
  std::optional<CnnShape> cnn;
  std::optional<RecurrentShape> recurrent;
  std::optional<MeasuredLayers> layers;
  TransformerShape transformer;

  bool has_tokens() const { return !cnn && !layers; }
};

/// Reads the map that Catalogue::resolve("models", ...) gives: a model file (description, source,
/// sequence, parameters, notes, and one of transformer, cnn, recurrent, a list of layers), beside
/// which keys of its shape may stand as changes, or a Hugging Face config.json. Throws InputError
/// for what is neither.
Model read_model(const config::Value& value);

}  // namespace pipewright
