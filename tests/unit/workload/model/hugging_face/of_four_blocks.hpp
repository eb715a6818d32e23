// A small configuration whose keys tests complete.
#pragma once

#include <string>

namespace pipewright::test {

/// A config.json of four blocks 64 numbers wide; `rest` are its other keys.
inline std::string of_four_blocks(const std::string& rest) {
  return R"({"hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4,
      "intermediate_size": 128, "vocab_size": 100, )" +
         rest + "}";
}

}  // namespace pipewright::test
