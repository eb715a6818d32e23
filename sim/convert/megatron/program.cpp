#include "convert/megatron/program.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pipewright::megatron {
namespace {

/// Programs of Megatron-LM that do not pretrain a transformer of text, and what they do.
struct OtherProgram {
  std::string_view name, what;
};
constexpr OtherProgram other_programs[] = {
    {"vision", "models of images are not modelled"},
    {"vlm", "vision towers are not read from jobs"},
    {"mimo", "vision towers are not read from jobs"},
    {"multimodal", "vision towers are not read from jobs"},
    {"llava", "vision towers are not read from jobs"},
    {"ict", "retrieval is not modelled"},
    {"retro", "retrieval is not modelled"},
    {"biencoder", "retrieval is not modelled"},
    {"merge_mp", "it converts checkpoints and trains nothing"},
    {"analyze_data", "it prepares data and trains nothing"},
    {"generat", "it generates text and trains nothing"},
    {"inference", "it generates text and trains nothing"},
    {"server", "it generates text and trains nothing"},
    {"preprocess", "it prepares data and trains nothing"},
    {"doc_index", "it embeds documents and trains nothing"},
    {"convert", "it converts checkpoints and trains nothing"},
    {"conversion", "it converts checkpoints and trains nothing"},
    {"hf2m", "it converts checkpoints and trains nothing"},
    {"mcore2hf", "it converts checkpoints and trains nothing"},
    {"checkpoint", "it converts checkpoints and trains nothing"},
    {"eval", "it evaluates and trains nothing"},
    {"train_rl", "reinforcement learning is not modelled"},
    {"diffusion", "diffusion models are not modelled"}};

/// Folders whose programs do not pretrain a transformer of text with Megatron-LM.
constexpr OtherProgram other_folders[] = {
    {"tasks/", "it finetunes or evaluates"},
    {"multimodal/", "vision towers are not read from jobs"},
    {"retro/", "retrieval is not modelled"},
    {"/collections/", "it is a program of NeMo, whose recipes (YAML) 'import nemo' reads"}};

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

/// Tells whether arguments are there that only programs of reinforcement learning have.
bool trains_by_reward(const job::Launch& launch) {
  return std::any_of(launch.arguments.begin(), launch.arguments.end(), [](const job::Word& word) {
    return word.text.starts_with("--rollout-") || word.text.starts_with("--actor-num-");
  });
}

}  // namespace

Program program_of(const job::Launch& launch, const job::Source& source, job::Import& import) {
  const std::string name = base_name(launch.program);
  if (trains_by_reward(launch))
    job::refuse(source, import, launch.where,
                fmt::format("'{}' cannot be said: reinforcement learning is not modelled", name));
  for (const OtherProgram& other : other_folders)
    if (launch.program.find(other.name) != std::string::npos)
      job::refuse(source, import, launch.where,
                  fmt::format("'{}' cannot be said: {}", launch.program, other.what));
  for (const OtherProgram& other : other_programs)
    if (name.find(other.name) != std::string::npos)
      job::refuse(source, import, launch.where,
                  fmt::format("'{}' cannot be said: {}", name, other.what));
  if (name.find("bert") != std::string::npos) return Program::bert;
  if (name.find("t5") != std::string::npos) return Program::t5;
  for (const char* hybrid : {"mamba", "hybrid"})
    if (name.find(hybrid) != std::string::npos) return Program::hybrid;
  return name.starts_with("pretrain_gpt") ? Program::gpt : Program::list;
}

}  // namespace pipewright::megatron
