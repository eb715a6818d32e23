#include "calibrate/train/layers/model.hpp"

namespace pipewright::train {

Network lstm_network(const RecurrentShape& s) {
  Network network;
  network.first = embedding(s.vocabulary, 0, s.hidden);
  for (int64_t i = 0; i < s.layers; ++i) network.blocks.push_back(lstm(s.hidden, s.hidden));
  network.last = chain_of(linear(s.hidden, s.vocabulary, true), cross_entropy());
  return network;
}

std::string unsupported(const RecurrentShape& s) {
  return s.layers > 0 ? "" : "translators with an encoder and a decoder";
}

}  // namespace pipewright::train
