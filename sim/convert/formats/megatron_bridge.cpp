// Megatron Bridge's recipes. What becomes of them, see convert/megatron_bridge/.
#include "convert/formats/job_import.hpp"
#include "convert/formats/megatron_core_writing.hpp"
#include "convert/formats/registry.hpp"
#include "convert/megatron/core_config.hpp"
#include "convert/megatron/fitting.hpp"
#include "convert/megatron_bridge/program.hpp"
#include "convert/megatron_bridge/recipe.hpp"
#include "convert/megatron_bridge/writer.hpp"

namespace pipewright::convert {
namespace {

constexpr std::string_view options[] = {"--config-file"};
constexpr job::Handing handing{.framework = "Megatron Bridge", .options = options};

std::string import_megatron_bridge(const ImportRequest& request) {
  return import_settings(request, {megatron_bridge::import_recipe, megatron_bridge::import_program},
                         &handing);
}

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

bool has_section(std::string_view text, const std::string& name) {
  return text.starts_with(name + ':') || has(text, '\n' + name + ':');
}

bool recognises_megatron_bridge(std::string_view head, const std::string& file) {
  if (is_script(head, file)) return job::hands_over(head, handing);
  if (is_program(file)) return has(head, "megatron.bridge");
  if (!may_be_yaml(file)) return false;
  return has(head, "megatron.bridge.") ||
         (has_section(head, "train") &&
          (has(head, "train_iters:") || has(head, "micro_batch_size:")) && !has(head, "trainer:"));
}

job::Import read_again(const job::Source& source) {
  return read_job(source, megatron_bridge::import_recipe);
}

void export_megatron_bridge(const ExportRequest& request) {
  export_job(request, {.format = "megatron-bridge",
                       .file = "recipe.yaml",
                       .write = megatron_bridge::write_recipe,
                       .read = read_again,
                       .outside = job::devices_outside,
                       .says = megatron::core_says_constant,
                       .yours = "data, tokenizer and learning rates: those of the recipe in Python "
                                "hold where nobody says them",
                       .fitting = megatron::fitting});
}

/// Overrides alone say no model, unless they say its sizes.
job::Import import_with_model(const job::Source& source) {
  job::Source with_model = source;
  if (!has(source.text, "num_layers:")) with_model.model = "llama-2-7b";
  return megatron_bridge::import_recipe(with_model);
}

void fuzz_megatron_bridge(std::string_view bytes) {
  if (bytes.find("import ") != std::string_view::npos)
    return fuzz_job(bytes, "run.py", megatron_bridge::import_program);
  fuzz_job(bytes, "recipe.yaml", import_with_model);
}

}  // namespace

const Format format::megatron_bridge{
    .name = "megatron-bridge",
    .summary = "a recipe of Megatron Bridge (YAML or Python)",
    .reading =
        {.makes = "an experiment",
         .help =
             R"(A program in Python is followed, and not run, to the configuration with which it trains, or to what its
function gives that --define CONFIG=NAME says; recipes that it calls are read where Megatron Bridge's source
lies around it. Beside YAML the model is given by --model or by its Hugging Face config.json as a further
FILE, and the rest is taken as recipes have it in common. Words KEY=VALUE change the recipe
(train.micro_batch_size=1). --define NGPU=N says how many devices the job has. What matters and cannot
be said is an error, or with --partial a comment. The cluster is to be replaced by yours.
)",
         .run = import_megatron_bridge,
         .options = job_model_options(),
         .takes_several = true},
    .writing = megatron_core_writing(
        R"(The file overrides a recipe of a GPT. It says every size, and what recipes set otherwise; data,
tokenizer, checkpoints and learning rates stay the recipe's. Number formats go by the name of Megatron
Bridge's recipe, or as a MixedPrecisionConfig where no name says them. What the file does not say, such
as the cluster and the number of devices, stands in comments behind '# pipewright|', which 'import'
reads. What Megatron-Core cannot do is an error.
)",
        export_megatron_bridge),
    .recognises = recognises_megatron_bridge,
    .fuzz = fuzz_megatron_bridge};

}  // namespace pipewright::convert
