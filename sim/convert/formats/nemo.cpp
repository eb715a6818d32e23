// NeMo's configurations. What becomes of them, see convert/nemo/.
#include "convert/formats/job_import.hpp"
#include "convert/formats/megatron_core_writing.hpp"
#include "convert/formats/registry.hpp"
#include "convert/megatron/fitting.hpp"
#include "convert/nemo/config_file.hpp"
#include "convert/nemo/config_writer.hpp"
#include "convert/nemo/program.hpp"
#include "convert/nemo/writer.hpp"

namespace pipewright::convert {
namespace {

constexpr std::string_view options[] = {"--config-name"};
constexpr job::Handing handing{
    .framework = "NeMo", .options = options, .folder_option = "--config-path", .suffix = ".yaml"};

std::string import_nemo(const ImportRequest& request) {
  return import_settings(request, {nemo::import_config, nemo::import_program}, &handing);
}

bool recognises_nemo(std::string_view head, const std::string& file) {
  if (is_script(head, file)) return job::hands_over(head, handing);
  if (is_program(file)) return head.find("nemo_run") != std::string_view::npos;
  if (!may_be_yaml(file)) return false;
  if (head.find("_target_: nemo.") != std::string_view::npos) return true;
  return head.find("trainer:") != std::string_view::npos &&
         (head.find("exp_manager:") != std::string_view::npos ||
          head.find("num_nodes:") != std::string_view::npos);
}

job::Import read_again(const job::Source& source) { return read_job(source, nemo::import_config); }

/// What came of NeMo 1 goes there again.
void export_nemo(const ExportRequest& request) {
  if (request.carried.find(nemo::config_format))
    return export_job(request, {.format = nemo::config_format,
                                .file = "config.yaml",
                                .write = nemo::write_config,
                                .read = read_again,
                                .says = nemo::says_constant,
                                .yours = "data, tokenizer and learning rates",
                                .fitting = megatron::fitting});
  export_job(request, {.format = "nemo",
                       .file = "recipe.yaml",
                       .write = nemo::write_recipe,
                       .read = read_again,
                       .says = nemo::says_constant,
                       .yours = "data (a mock stands for it), tokenizer and learning rates",
                       .fitting = megatron::fitting});
}

void fuzz_nemo(std::string_view bytes) {
  if (bytes.find("import ") != std::string_view::npos)
    return fuzz_job(bytes, "run.py", nemo::import_program);
  fuzz_job(bytes, "config.yaml", nemo::import_config);
}

}  // namespace

const Format format::nemo{
    .name = "nemo",
    .summary =
        "a configuration of NeMo 1's language models, or a recipe of NeMo 2 (YAML or Python)",
    .reading =
        {.makes = "an experiment",
         .help =
             R"(Words KEY=VALUE change the configuration as Hydra's do (trainer.devices=4 +model.x=1 ~model.y). Parts
that its defaults name are read beside it, or are given as further FILEs. --define VOCAB_SIZE=N says how
many tokens the tokenizer has where that is in its files. A recipe is what NeMo-Run writes with --to-yaml, or
a program in Python: that is followed, and not run, to the recipe with which it trains, or to what its function
gives that --define CONFIG=NAME says; recipes of NeMo that it calls are read beside it or known. Arguments of its own
command line are their defaults: --define num_nodes=4 is --num-nodes 4.
--model NAME or a config.json of Hugging Face says its model where the class is not known. What matters and cannot be said is an error,
or with --partial a comment. The cluster is to be replaced by yours.
)",
         .run = import_nemo,
         .options = job_model_options(),
         .takes_several = true},
    .writing = megatron_core_writing(
        R"(The file is a configuration of NeMo 1 where the job came of one, and else a recipe of NeMo 2 as NeMo-Run writes it with --to-yaml. A recipe's model is a GPTConfig that says
every size, and its data are made up; data, tokenizer, checkpoints and learning rates are yours to add.
What the file does not say, such as the cluster, stands in comments behind '# pipewright|', which
'import' reads. What NeMo cannot do is an error.
)",
        export_nemo),
    .recognises = recognises_nemo,
    .fuzz = fuzz_nemo};

}  // namespace pipewright::convert
