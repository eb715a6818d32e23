// Primus's configurations. What becomes of them, see convert/primus/.
#include "convert/formats/job_import.hpp"
#include "convert/formats/megatron_core_writing.hpp"
#include "convert/formats/registry.hpp"
#include "convert/megatron/fitting.hpp"
#include "convert/megatron/writers.hpp"
#include "convert/primus/config_file.hpp"
#include "convert/primus/writer.hpp"

namespace pipewright::convert {
namespace {

/// examples/run_pretrain.sh takes EXP, and primus-cli takes --config.
constexpr std::string_view options[] = {"--exp", "--config"};
constexpr job::Handing handing{.framework = "Primus",
                               .options = options,
                               .suffix = ".yaml",
                               .variable = "EXP",
                               .has_options = true};

std::string import_primus(const ImportRequest& request) {
  return import_settings(request, {primus::import_config}, &handing);
}

bool recognises_primus(std::string_view head, const std::string& file) {
  if (file.ends_with(".py")) return false;
  if (is_script(head, file))
    return (head.find("primus") != std::string_view::npos ||
            head.find("run_pretrain.sh") != std::string_view::npos) &&
           job::hands_over(head, handing);
  return head.find("pre_trainer:") != std::string_view::npos;
}

job::Import read_again(const job::Source& source) {
  return read_job(source, primus::import_config);
}

void export_primus(const ExportRequest& request) {
  export_job(request, {.format = "primus",
                       .file = "exp.yaml",
                       .write = primus::write_config,
                       .read = read_again,
                       .outside = job::devices_outside,
                       .says = megatron::says_own_constant,
                       .yours = "data and learning rates: those of Primus's pre_trainer.yaml hold "
                                "where nobody says them",
                       .fitting = megatron::fitting});
}

/// Without its preset a configuration says no model.
job::Import import_with_model(const job::Source& source) {
  job::Source with_model = source;
  with_model.model = "llama-2-7b";
  return primus::import_config(with_model);
}

void fuzz_primus(std::string_view bytes) { fuzz_job(bytes, "exp.yaml", import_with_model); }

}  // namespace

const Format format::primus{
    .name = "primus",
    .summary = "a configuration of Primus (YAML) whose trainer is Megatron-LM's or torchtitan's",
    .reading =
        {.makes = "an experiment",
         .help =
             R"(The preset of the model is packaged with Primus: it is given as a further FILE, and what it extends is
read beside it; or --model says the model. Words KEY=VALUE change the overrides, and --define gives
${VARIABLES}; --define NGPU=N says how many devices the job has. What matters and cannot be said is an
error, or with --partial a comment. The cluster is to be replaced by yours.
)",
         .run = import_primus,
         .options = job_model_options(),
         .takes_several = true},
    .writing = megatron_core_writing(
        R"(The overrides say every size over language_model.yaml, the preset on which Primus's models rest; data,
checkpoints and learning rates are yours to add. What the file does not say, such as the cluster and
the number of devices, stands in comments behind '# pipewright|', which 'import' reads. What
Megatron-LM cannot do is an error.
)",
        export_primus),
    .recognises = recognises_primus,
    .fuzz = fuzz_primus};

}  // namespace pipewright::convert
