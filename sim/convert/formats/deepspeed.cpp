// DeepSpeed's jobs. What becomes of them, see convert/deepspeed/.
#include "convert/deepspeed/job_file.hpp"

#include "convert/deepspeed/along.hpp"
#include "convert/deepspeed/writer.hpp"
#include "convert/formats/job_import.hpp"
#include "convert/formats/registry.hpp"
#include "convert/neox/config_file.hpp"

namespace pipewright::convert {
namespace {

std::string import_deepspeed(const ImportRequest& request) {
  return import_job(request, deepspeed::import_job);
}

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

bool recognises_deepspeed(std::string_view head, const std::string&) {
  // GPT-NeoX's files say DeepSpeed's keys too.
  if (neox::is_config(head)) return false;
  for (const char* key : {"\"zero_optimization\"", "\"train_micro_batch_size_per_gpu\"",
                          "\"train_batch_size\"", "\"gradient_accumulation_steps\""})
    if (has(head, key)) return true;
  // Megatron-LM's arguments say more of a job than DeepSpeed's launcher.
  const bool is_megatron = has(head, "--num-layers") || has(head, "pretrain_gpt");
  return !is_megatron && (has(head, "deepspeed --") || has(head, "--deepspeed"));
}

job::Import read_again(const job::Source& source) {
  return read_job(source, deepspeed::import_job);
}

void export_deepspeed(const ExportRequest& request) {
  export_job(request, {.format = "deepspeed",
                       .file = "run.sh",
                       .write = deepspeed::write_job,
                       .read = read_again,
                       .start = deepspeed::started,
                       .yours = "data, tokenizer and learning rates",
                       .steps = deepspeed::step_counts()});
}

/// A configuration alone says no model.
job::Import import_with_model(const job::Source& source) {
  job::Source with_model = source;
  with_model.model = "llama-2-7b";
  return deepspeed::import_job(with_model);
}

void fuzz_deepspeed(std::string_view bytes) {
  fuzz_job(bytes, "ds_config.json", import_with_model);
}

}  // namespace

const Format format::deepspeed{
    .name = "deepspeed",
    .summary = "a configuration of DeepSpeed (JSON), or the script that launches it",
    .reading =
        {.makes = "an experiment",
         .help =
             R"(The FILEs of a job are told apart by what is in them: its configuration, the script or the line that
launches it ('deepspeed --num_gpus 8 train.py ...', torchrun), and the model's Hugging Face
config.json. A script's configuration is found where it names it. The arguments of Megatron-DeepSpeed
say their model themselves. Of the three sizes of a batch DeepSpeed's own rule makes what is missing.
What is "auto" the program's arguments say, which --define NAME=VALUE says too; --define NGPU=N says
how many devices the job has. What matters and cannot be said is an error, or with --partial a
comment. The cluster is to be replaced by yours.
)",
         .run = import_deepspeed,
         .options = job_model_options(),
         .takes_several = true},
    .writing =
        {.holds = "the job: model, degrees, batch, precision, recomputation",
         .help =
             R"(The file is a script that writes DeepSpeed's configuration and launches Megatron-DeepSpeed's
pretrain_gpt.py with it; data, checkpoints and learning rates go along where the job came of such files,
and are else yours to add ("$@"). What it does
not say, such as the cluster, stands in comments behind '# pipewright|', which 'import' reads. What
Megatron-DeepSpeed cannot do is an error.
)",
         .run = export_deepspeed,
         .takes_partial = true,
         .settings = {"parallel.zero=1", "parallel.context=1", "overlap.tensor=none",
                      "partition=even"},
         .schedules = "1f1b",
         .example = R"(
model: {transformer: {layers: 4, hidden: 256, heads: 4, vocabulary: 1024}}
cluster: {node: dgx-h100, nodes: 1, fabric: {kind: fat-tree, link: ndr, nics: 8}}
parallel: {tensor: 2, pipeline: 2, zero: 1}
batch: {global: 16, micro: 1, sequence: 128}
schedule: 1f1b
recompute: full
framework: deepspeed
)"},
    .recognises = recognises_deepspeed,
    .fuzz = fuzz_deepspeed};

}  // namespace pipewright::convert
