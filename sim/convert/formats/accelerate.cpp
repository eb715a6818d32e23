// accelerate's configurations. What becomes of them, see convert/accelerate/.
#include "convert/accelerate/config_file.hpp"
#include "convert/formats/job_import.hpp"
#include "convert/formats/registry.hpp"

namespace pipewright::convert {
namespace {

std::string import_accelerate(const ImportRequest& request) {
  return import_job(request, accelerate::import_config);
}

bool recognises_accelerate(std::string_view head, const std::string& file) {
  const bool is_script = file.ends_with(".sh") || file.ends_with(".py");
  return !is_script && head.find("distributed_type:") != std::string_view::npos;
}

/// A configuration says no model.
job::Import import_with_model(const job::Source& source) {
  job::Source with_model = source;
  with_model.model = "llama-2-7b";
  return accelerate::import_config(with_model);
}

void fuzz_accelerate(std::string_view bytes) { fuzz_job(bytes, "config.yaml", import_with_model); }

}  // namespace

const Format format::accelerate{
    .name = "accelerate",
    .summary = "a configuration of Hugging Face's accelerate (YAML)",
    .reading =
        {.makes = "an experiment",
         .help =
             R"(FSDP of both versions, DeepSpeed (its file too), the Megatron-LM plugin and plain copies are read. The
model is its Hugging Face config.json, given as a further FILE, or --model NAME. The program is taken
to be one of transformers: --define per_device_train_batch_size=N, gradient_accumulation_steps,
max_seq_length, max_steps and gradient_checkpointing=true are its arguments; --define NGPU=N says how
many devices the job has. What matters and cannot be said is an error, or with --partial a comment.
The cluster is to be replaced by yours.
)",
         .run = import_accelerate,
         .options = job_model_options(),
         .takes_several = true},
    .recognises = recognises_accelerate,
    .fuzz = fuzz_accelerate};

}  // namespace pipewright::convert
