// The transformer that arguments of Megatron-LM say, as a test writes them.
#pragma once

#include "convert/megatron/model.hpp"
#include "flags_of.hpp"

namespace pipewright::test {

struct GivenModel {
  FlagsOf given;
  config::Value value;
  explicit GivenModel(const std::string& text, megatron::Program program = megatron::Program::gpt)
      : given("--hidden-size 1024 --num-attention-heads 16 " + text) {
    value = read_model(*given.flags, {.tensor = 2, .layers = 8}, program);
  }
  std::string operator[](const char* key) const { return at(value, {key}); }
};

}  // namespace pipewright::test
