// Primus's configurations. What becomes of them, see convert/primus/.
#include "convert/formats/job_import.hpp"
#include "convert/formats/registry.hpp"
#include "convert/primus/config_file.hpp"

namespace pipewright::convert {
namespace {

std::string import_primus(const ImportRequest& request) {
  return import_job(request, primus::import_config);
}

bool recognises_primus(std::string_view head, const std::string& file) {
  const bool is_yaml = file.ends_with(".yaml") || file.ends_with(".yml");
  return is_yaml && head.find("pre_trainer:") != std::string_view::npos;
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
    .summary = "a configuration of Primus (YAML) whose trainer is Megatron-LM's",
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
    .recognises = recognises_primus,
    .fuzz = fuzz_primus};

}  // namespace pipewright::convert
