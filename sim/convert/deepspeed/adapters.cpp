// After trl's ModelConfig (use_peft, lora_r, lora_target_modules), peft's "all-linear", and
// LLaMA-Factory's finetuning_args.py (finetuning_type, lora_rank, lora_target), July 2026. A rank
// that nobody says is 16 in trl and 8 in LLaMA-Factory.
#include "convert/deepspeed/adapters.hpp"

#include <algorithm>

namespace pipewright::deepspeed {

using config::Value;

void read_adapters(Documents& documents, job::Import& import) {
  const Value* kind = documents.arguments().look("finetuning_type");
  const bool is_factorys = kind && kind->text == "lora";
  if (!is_factorys && !documents.flag({"use_peft"})) return;
  const Value* rank = documents.argument({"lora_rank", "lora_r"});
  const Value* target = documents.argument({"lora_target", "lora_target_modules"});
  documents.argument({"finetuning_type"});
  documents.argument({"lora_alpha"});
  documents.argument({"lora_dropout"});
  const std::string products = target ? job::written(*target) : "";
  if (products != "all" && products != "all-linear") {
    documents.arguments().refuse(
        target        ? "lora_target"
        : is_factorys ? "finetuning_type"
                      : "use_peft",
        "adapters of some products cannot be said: they stand beside all (lora_target all, "
        "lora_target_modules all-linear)");
    return;
  }
  const int64_t otherwise = is_factorys ? 8 : 16;
  import.experiment.set("adapters",
                        config::number(rank ? config::as_int(*rank, 1, 65536) : otherwise));
}

}  // namespace pipewright::deepspeed
