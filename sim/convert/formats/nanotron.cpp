// nanotron's configurations. What becomes of them, see convert/nanotron/.
#include "convert/formats/job_import.hpp"
#include "convert/formats/registry.hpp"
#include "convert/nanotron/config_file.hpp"

namespace pipewright::convert {
namespace {

std::string import_nanotron(const ImportRequest& request) {
  return import_job(request, nanotron::import_config);
}

/// Its sections stand anywhere in a file that is longer than the head.
bool recognises_nanotron(std::string_view head, const std::string& file) {
  if (!file.ends_with(".yaml") && !file.ends_with(".yml")) return false;
  for (const char* word : {"checkpoint_interval:", "ddp_bucket_cap_mb:", "is_llama_config:",
                           "ignore_sanity_checks:", "batch_accumulation_per_replica:"})
    if (head.find(word) != std::string_view::npos) return true;
  return false;
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
    .recognises = recognises_nanotron,
    .fuzz = fuzz_nanotron};

}  // namespace pipewright::convert
