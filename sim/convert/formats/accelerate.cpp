// accelerate's configurations. What becomes of them, see convert/accelerate/.
#include "convert/accelerate/config_file.hpp"
#include "convert/accelerate/launch_script.hpp"
#include "convert/accelerate/writer.hpp"
#include "convert/formats/job_import.hpp"
#include "convert/formats/registry.hpp"

namespace pipewright::convert {
namespace {

std::string import_accelerate(const ImportRequest& request) {
  return import_settings(request, {accelerate::import_config}, accelerate::launched);
}

bool recognises_accelerate(std::string_view head, const std::string& file) {
  if (file.ends_with(".py")) return false;
  if (is_script(head, file)) return accelerate::is_launch_script(head);
  return head.find("distributed_type:") != std::string_view::npos;
}

job::Import read_again(const job::Source& source) {
  return read_job(source, accelerate::import_config);
}

void export_accelerate(const ExportRequest& request) {
  export_job(request,
             {.format = "accelerate",
              .file = "config.yaml",
              .write = accelerate::write_config,
              .read = read_again,
              .outside = [](const Experiment& e,
                            const config::Value&) { return accelerate::program_arguments(e); },
              .model_outside = true,
              .start = accelerate::started});
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
many devices the job has. A script is followed to its 'accelerate launch', whose options stand over the
file that it names, and whose program's arguments are read. What matters and cannot be said is an error, or with --partial a comment.
The cluster is to be replaced by yours.
)",
         .run = import_accelerate,
         .options = job_model_options(),
         .takes_several = true},
    .writing =
        {.holds = "the job: devices, sharding, precision, recomputation",
         .help =
             R"(Which plugin is written follows from the experiment: Megatron-LM's for stages and for framework:
megatron with ZeRO 0 or 1, DeepSpeed's for its framework and for ZeRO 1 and 2, else FSDP, or none for
plain copies. A plan is one of FSDP where nothing else is said. What the file does not say stands in
comments behind '# pipewright|', which 'import' reads: the cluster, the model, and under 'define' what
is yours to give the program, such as per_device_train_batch_size. From version 1.13 on accelerate's Megatron-LM runs every layer
again where nothing says otherwise; a file without recomputation is for earlier ones. What accelerate cannot do is an
error.
)",
         .run = export_accelerate,
         .takes_partial = true,
         .settings = {"framework=torchtitan", "parallel.zero=3", "parallel.pipeline=1",
                      "parallel.sequence=false", "gradients=bf16", "overlap.tensor=none",
                      "offload=none"},
         .schedules = "1f1b",
         .example = R"(
model: {transformer: {layers: 4, hidden: 256, heads: 4, vocabulary: 1024}}
cluster: {node: dgx-h100, nodes: 1, fabric: {kind: fat-tree, link: ndr, nics: 8}}
parallel: {data: 8, zero: 3}
batch: {global: 16, micro: 1, sequence: 128}
schedule: 1f1b
gradients: bf16
recompute: full
framework: torchtitan
)"},
    .recognises = recognises_accelerate,
    .fuzz = fuzz_accelerate};

}  // namespace pipewright::convert
