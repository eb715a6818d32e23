// Megatron Bridge's recipes. What becomes of them, see convert/megatron_bridge/.
#include "convert/formats/job_import.hpp"
#include "convert/formats/registry.hpp"
#include "convert/megatron_bridge/recipe.hpp"

namespace pipewright::convert {
namespace {

std::string import_megatron_bridge(const ImportRequest& request) {
  return import_job(request, megatron_bridge::import_recipe);
}

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

bool recognises_megatron_bridge(std::string_view head, const std::string& file) {
  if (!file.ends_with(".yaml") && !file.ends_with(".yml")) return false;
  return has(head, "megatron.bridge.") ||
         (has(head, "train:") && (has(head, "train_iters:") || has(head, "micro_batch_size:")) &&
          !has(head, "trainer:"));
}

/// Overrides alone say no model.
job::Import import_with_model(const job::Source& source) {
  job::Source with_model = source;
  with_model.model = "llama-2-7b";
  return megatron_bridge::import_recipe(with_model);
}

void fuzz_megatron_bridge(std::string_view bytes) {
  fuzz_job(bytes, "recipe.yaml", import_with_model);
}

}  // namespace

const Format format::megatron_bridge{
    .name = "megatron-bridge",
    .summary = "a recipe of Megatron Bridge (YAML)",
    .reading =
        {.makes = "an experiment",
         .help =
             R"(A recipe in Python cannot be read: its model is given by --model or by its Hugging Face config.json as a
further FILE, and the rest is taken as recipes have it in common. Words KEY=VALUE change the recipe
(train.micro_batch_size=1). --define NGPU=N says how many devices the job has. What matters and cannot
be said is an error, or with --partial a comment. The cluster is to be replaced by yours.
)",
         .run = import_megatron_bridge,
         .options = job_model_options(),
         .takes_several = true},
    .recognises = recognises_megatron_bridge,
    .fuzz = fuzz_megatron_bridge};

}  // namespace pipewright::convert
