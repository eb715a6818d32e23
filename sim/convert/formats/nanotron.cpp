// nanotron's configurations. What becomes of them, see convert/nanotron/.
#include "convert/formats/job_import.hpp"
#include "convert/formats/registry.hpp"
#include "convert/job/hosts.hpp"
#include "convert/nanotron/config_file.hpp"
#include "convert/nanotron/writer.hpp"

namespace pipewright::convert {
namespace {

constexpr std::string_view program = "run_train.py", options[] = {"--config-file"};
constexpr std::string_view step_counts[] = {
    "optimizer.learning_rate_scheduler.lr_warmup_steps",
    "optimizer.learning_rate_scheduler.lr_decay_steps",
    "optimizer.learning_rate_scheduler.lr_decay_starting_step",
    "data_stages.*.start_training_step"};
constexpr job::Handing handing{.framework = "nanotron", .options = options};

std::string import_nanotron(const ImportRequest& request) {
  return import_settings(request, {nanotron::import_config}, &handing);
}

/// Its sections stand anywhere in a file that is longer than the head.
bool recognises_nanotron(std::string_view head, const std::string& file) {
  if (file.ends_with(".py")) return false;
  if (is_script(head, file))
    return head.find(program) != std::string_view::npos && job::hands_over(head, handing);
  for (const char* word : {"checkpoint_interval:", "ddp_bucket_cap_mb:", "is_llama_config:",
                           "ignore_sanity_checks:", "batch_accumulation_per_replica:"})
    if (head.find(word) != std::string_view::npos) return true;
  return false;
}

job::Import read_again(const job::Source& source) {
  return read_job(source, nanotron::import_config);
}

void export_nanotron(const ExportRequest& request) {
  export_job(request, {.format = "nanotron",
                       .file = "config.yaml",
                       .write = nanotron::write_config,
                       .read = read_again,
                       .says = nanotron::says_constant,
                       .start =
                           [](const Experiment& experiment) {
                             return job::started_by(job::hosts_of(experiment),
                                                    "run_train.py --config-file FILE");
                           },
                       .yours = "general, tokenizer, data_stages and learning rates, without which "
                                "nanotron does not start",
                       .steps = step_counts});
}

void fuzz_nanotron(std::string_view bytes) {
  fuzz_job(bytes, "config.yaml", nanotron::import_config);
}

}  // namespace

const Format format::nanotron{
    .name = "nanotron",
    .summary = "a configuration of nanotron (YAML)",
    .reading =
        {.makes = "an experiment",
         .help =
             R"(Models are Llama's and Qwen2's. What matters and cannot be said is an error, or with --partial a
comment. The cluster is to be replaced by yours.
)",
         .run = import_nanotron,
         .options = job_options()},
    .writing =
        {.holds = "the job: model, degrees, batch, precision, recomputation",
         .help =
             R"(The file says model, optimizer, parallelism and tokens; data, checkpoints and learning rates are
yours to add. What it does not say, such as the cluster, stands in comments behind '# pipewright|',
which 'import' reads. What nanotron cannot do is an error.
)",
         .run = export_nanotron,
         .takes_partial = true,
         .settings = {"framework=nanotron", "parallel.zero=1", "parallel.context=1",
                      "overlap.tensor=none", "offload=none", "partition=even"},
         .schedules = "1f1b",
         .example = R"(
model: {transformer: {layers: 4, hidden: 256, heads: 8, kv_heads: 4, ffn: 1024, vocabulary: 1024, gated: true,
                      positions: rope, norm: rmsnorm, bias: false, dropout: false, tied_embeddings: true}}
cluster: {node: dgx-h100, nodes: 1, fabric: {kind: fat-tree, link: ndr, nics: 8}}
parallel: {tensor: 2, pipeline: 2, sequence: true, zero: 1}
batch: {global: 16, micro: 1, sequence: 128}
schedule: 1f1b
recompute: full
framework: nanotron
)"},
    .recognises = recognises_nanotron,
    .fuzz = fuzz_nanotron};

}  // namespace pipewright::convert
