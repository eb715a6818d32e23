#include "convert/torchtitan/precision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "convert/job/job.hpp"
#include "interop/words.hpp"

namespace pipewright::torchtitan {
namespace {

using config::scalar;
using config::Value;

/// Returns whether `model.converters` has one of that name. Once it was one text with commas.
bool converts(job::Settings& settings, const std::string& name) {
  const Value* converters = settings.find("model.converters");
  if (!converters) return false;
  if (converters->is_scalar()) return converters->text.find(name) != std::string::npos;
  return std::any_of(converters->items.begin(), converters->items.end(),
                     [&](const Value& item) { return item.text.find(name) != std::string::npos; });
}

/// Sections of converters that model.converters does not name change nothing.
void drop_sections(job::Settings& settings) {
  for (const char* section : {"float8", "quantize", "mx"})
    if (const Value* keys = settings.find(std::string_view(section)))
      settings.import().unused.push_back(fmt::format(
          "{}: {} (model.converters name nothing that reads it)", section, job::written(*keys)));
}

/// Products of blocks are taken to be in fp8, and the head and routers in bf16.
void note_filter(job::Settings& settings) {
  constexpr std::string_view of_head[] = {"output", "lm_head"}, of_routers = "router.gate";
  const Value* filter = settings.find({"float8.filter_fqns", "quantize.linear.float8.filter_fqns"});
  std::string names = filter ? job::written(*filter) : std::string();
  std::ranges::replace_if(
      names, [](char c) { return c == ',' || c == '[' || c == ']' || c == '"'; }, ' ');
  bool has_head = false;
  for (const std::string_view name : interop::words_of(names)) {
    const bool is_head = std::ranges::find(of_head, name) != std::end(of_head);
    has_head |= is_head;
    if (!is_head && name != of_routers)
      settings.import().slight.push_back(
          fmt::format("filter_fqns: {}: every product of a block is taken to be in fp8", name));
  }
  if (!has_head)
    settings.import().slight.push_back(
        "filter_fqns without \"output\": the head is taken to be in bf16");
}

Value fp8(const char* recipe) {
  Value precision;
  precision.set("fp8", scalar(recipe));
  return precision;
}

/// The number format of products where nothing is in fp8.
Value plain(job::Settings& settings, const std::string& param, bool is_mixed) {
  const Value* dtype = settings.find("training.dtype");
  const bool is_narrow = dtype && dtype->text == "bfloat16";
  if (param == "float32" || is_mixed || is_narrow)
    return scalar(param == "float32" ? "fp32" : "bf16");
  settings.import().assumed.push_back(
      "precision is fp32: torchtitan mixes formats in FSDP, and with tensor or pipeline ranks "
      "nowhere else; more devices (--define NGPU=N) give it shards");
  return scalar("fp32");
}

}  // namespace

config::Value read_precision(job::Settings& settings, bool is_mixed) {
  const bool said = settings.truth({"float8.enable_float8_linear", "training.enable_float8_linear",
                                    "training.enable_fp8_linear"},
                                   false);
  const bool is_fp8 = converts(settings, "float8") || said;
  const std::string old = settings.text({"training.fp8_linear"}, "");
  const std::string param = settings.text({"training.mixed_precision_param"}, "bfloat16");
  if (param != "bfloat16" && param != "float32")
    settings.refuse("training.mixed_precision_param", param + " cannot be said");
  const std::string recipe =
      settings.text({"float8.recipe_name", "quantize.linear.float8.recipe_name"}, "tensorwise");
  if (converts(settings, "mx")) {
    settings.import().assumed.push_back(
        fmt::format("{}, and MXFP8 needs NVIDIA's Blackwell or later: --set cluster.node=dgx-b200 "
                    "says one that has it",
                    job::no_cluster));
    return fp8("mxfp8");
  }
  if (!is_fp8 && (old.empty() || old == "false")) {
    drop_sections(settings);
    return plain(settings, param, is_mixed);
  }
  if (old == "delayed") return fp8("delayed");
  if (recipe != "tensorwise")
    settings.refuse(settings.has("float8.recipe_name") ? "float8.recipe_name"
                                                       : "quantize.linear.float8.recipe_name",
                    recipe + " cannot be said: it is tensorwise");
  note_filter(settings);
  return fp8("tensorwise");
}

void read_gathered(job::Settings& settings, Value& experiment) {
  const bool asked = settings.truth({"float8.enable_fsdp_float8_all_gather",
                                     "quantize.linear.float8.enable_fsdp_float8_all_gather"},
                                    false);
  Value& parallel = *experiment.find("parallel");
  const Value* precision = experiment.find("precision");
  const bool scales = precision->is_map() && precision->find("fp8")->text == "tensorwise";
  if (asked && scales && parallel.find("zero")->text == "3")
    parallel.set("gathered", scalar("fp8"));
}

// Weights, the moments of the optimizer and sharded gradients are in training.dtype
// (torchtitan/train.py; FSDP gives a reduced gradient the format of its weight).
void read_weights(job::Settings& settings, Value& experiment) {
  const Value* dtype = settings.find("training.dtype");
  const std::string reduce = settings.text({"training.mixed_precision_reduce"}, "float32");
  const bool is_narrow = dtype && dtype->text == "bfloat16";
  if (dtype && !is_narrow && dtype->text != "float32")
    settings.refuse("training.dtype", dtype->text + " cannot be said");
  if (reduce != "float32" && (reduce != "bfloat16" || !is_narrow))
    settings.refuse("training.mixed_precision_reduce",
                    reduce + " cannot be said: it is the format of the weights, or float32");
  if (!is_narrow) return;
  experiment.set("master_weights", scalar("none"));
  experiment.set("moments", scalar("bf16"));
  experiment.set("gradients", scalar(reduce == "bfloat16" ? "bf16" : "fp32"));
  if (reduce != "bfloat16")
    settings.import().slight.push_back(
        "training.dtype: bfloat16: gradients are taken to be kept as they are reduced, in fp32");
}

}  // namespace pipewright::torchtitan
