// Jobs of DeepSpeed as a test writes them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "../megatron/flags_of.hpp"
#include "convert/deepspeed/job_file.hpp"

namespace pipewright::test {

/// A Llama of 4 layers of 256.
inline const std::string llama =
    R"({"model_type": "llama", "hidden_size": 256, "intermediate_size": 1024,
        "num_attention_heads": 4, "num_hidden_layers": 4, "vocab_size": 1000,
        "max_position_embeddings": 512})";

/// Imports a configuration, with a launch where one is given.
inline job::Import import_deepspeed(const std::string& config, const std::string& launch = {},
                                    std::map<std::string, std::string> given = {},
                                    bool partial = false) {
  job::Source source{.text = config,
                     .file = "ds.json",
                     .given = std::move(given),
                     .partial = partial,
                     .read = {},
                     .further = {{"config.json", llama}}};
  if (!launch.empty()) source.further.push_back({"run.sh", launch});
  return deepspeed::import_job(source);
}

}  // namespace pipewright::test
