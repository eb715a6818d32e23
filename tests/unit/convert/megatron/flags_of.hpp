// Arguments of Megatron-LM as a test writes them.
#pragma once

#include <memory>
#include <string>

#include "config/emit.hpp"
#include "convert/megatron/flags.hpp"
#include "convert/megatron/script.hpp"

namespace pipewright::test {

/// Flags with what they are read from and noted in.
struct FlagsOf {
  job::Source source;
  job::Import import;
  std::unique_ptr<megatron::Flags> flags;

  explicit FlagsOf(const std::string& text, bool partial = false) {
    source.file = "run.sh";
    source.partial = partial;
    const std::vector<job::Launch> launches =
        job::launches(shell::follow("pretrain_gpt.py " + text, "run.sh", {}));
    flags = std::make_unique<megatron::Flags>(launches.at(0), source, import);
  }
};

inline job::Import import_text(const std::string& text, bool partial = false,
                               std::map<std::string, std::string> given = {}) {
  return megatron::import_script(
      {.text = text, .file = "run.sh", .given = std::move(given), .partial = partial, .read = {}});
}

/// The text at a path of an experiment.
inline std::string at(const config::Value& value, std::initializer_list<const char*> path) {
  const config::Value* place = &value;
  for (const char* key : path) {
    place = place->find(key);
    if (!place) return "none";
  }
  return place->text;
}

/// A small job, to which tests add.
inline const std::string small_job =
    "pretrain_gpt.py --num-layers 8 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 "
    "--micro-batch-size 1 --bf16 ";

}  // namespace pipewright::test
