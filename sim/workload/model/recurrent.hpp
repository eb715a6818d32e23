// A recurrent model as the `recurrent:` map of a model gives it: a translator (GNMT, arXiv
// 1609.08144), an encoder and a decoder of LSTM layers with attention between them; or, with
// `layers` in their place, a language model, LSTM layers one after the other.
#pragma once

#include <vector>

#include "config/value.hpp"
#include "workload/layer.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {

struct RecurrentShape {
  int64_t hidden = 0, encoder = 0, decoder = 0, vocabulary = 0;
  int64_t layers = 0;         ///< of a language model; 0: a translator
  int64_t bidirectional = 1;  ///< first layers of the encoder that run both ways
};

/// Throws InputError for unknown keys and missing or contradicting dimensions.
RecurrentShape read_recurrent(const config::Value& value);

/// An embedding, of a translator one for each language, the LSTM layers, the classifier with its
/// loss. Source and target sentences are both options.sequence tokens long. Misfit at `where` for
/// parallelism within a layer.
std::vector<Layer> recurrent_layers(const RecurrentShape& shape, const WorkloadOptions& options,
                                    const config::Value& where);

}  // namespace pipewright
