// After megatron/arguments.py and megatron/model/transformer.py of microsoft/Megatron-DeepSpeed:
// every --expert-interval-th layer (2) has experts, a token goes to --topk (1) of them, and what
// is over --moe-train-capacity-factor (1.0) is dropped. Experts are whole on a device unless
// --enable-expert-tensor-parallelism is there; one expert is a plain MLP.
#include "convert/deepspeed/fork_experts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "interop/words.hpp"

namespace pipewright::deepspeed {
namespace {

constexpr std::string_view own_flags[] = {"num_experts",
                                          "topk",
                                          "expert_interval",
                                          "mlp_type",
                                          "moe_train_capacity_factor",
                                          "moe_eval_capacity_factor",
                                          "moe_min_capacity",
                                          "moe_loss_coeff",
                                          "moe_expert_parallel_size",
                                          "create_moe_param_group",
                                          "use_tutel",
                                          "disable_moe_token_dropping",
                                          "enable_expert_tensor_parallelism",
                                          "disable_moe_top2_2nd_expert_sampling"};

using Values = std::map<std::string, std::vector<job::Word>>;

/// Takes the arguments for experts out of `words`; the first value of each is the argument itself.
Values take_own(std::vector<job::Word>& words) {
  Values values;
  std::vector<job::Word> rest;
  std::string name;
  for (job::Word& word : words) {
    if (const std::string begins = fork_name_of(word); !begins.empty()) {
      name = std::find(std::begin(own_flags), std::end(own_flags), begins) != std::end(own_flags)
                 ? begins
                 : "";
      if (!name.empty()) values[name].clear();
    }
    if (name.empty()) {
      rest.push_back(std::move(word));
      continue;
    }
    values[name].push_back(word);
    const size_t equals = values[name].size() == 1 ? word.text.find('=') : std::string::npos;
    if (equals == std::string::npos) continue;
    word.text.erase(0, equals + 1);
    values[name].push_back(word);
  }
  words = std::move(rest);
  return values;
}

int64_t number_of(const Values& values, const std::string& name, int64_t otherwise) {
  const auto found = values.find(name);
  if (found == values.end() || found->second.size() < 2) return otherwise;
  const job::Word& value = found->second[1];
  if (value.unknown) job::fail_unknown(value, found->second[0].text);
  const auto number = interop::number_of<int64_t>(value.text);
  if (!number || *number < 1 || *number > 1'000'000)
    throw InputError(value.where,
                     fmt::format("{} needs a number, not '{}'", found->second[0].text, value.text));
  return *number;
}

std::string text_of(const Values& values, const std::string& name, const char* otherwise) {
  const auto found = values.find(name);
  return found == values.end() || found->second.size() < 2 ? otherwise : found->second[1].text;
}

int64_t layers_of(const std::vector<job::Word>& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (fork_name_of(words[i]) != "num_layers") continue;
    const size_t equals = words[i].text.find('=');
    const std::string text = equals != std::string::npos ? words[i].text.substr(equals + 1)
                             : i + 1 < words.size()      ? words[i + 1].text
                                                         : "";
    return interop::number_of<int64_t>(text).value_or(0);
  }
  return 0;
}

/// The layers with experts as --moe-layer-freq has them: the last of every `interval`.
std::string pattern_of(int64_t layers, int64_t interval) {
  if (interval == 1) return "1";
  const int64_t rest = layers % interval;
  return fmt::format("([0]*{}+[1]*1)*{}{}", interval - 1, layers / interval,
                     rest > 0 ? fmt::format("+[0]*{}", rest) : "");
}

void refuse_other_experts(const Values& values, const job::Source& source, job::Import& import) {
  const std::vector<job::Word>& counts = values.at("num_experts");
  if (counts.size() > 2)
    job::refuse(source, import, counts[2].where,
                "--num-experts cannot be said: layers have other numbers of experts");
  if (text_of(values, "mlp_type", "standard") == "residual")
    job::refuse(source, import, values.at("mlp_type")[0].where,
                "--mlp-type residual cannot be said: an MLP beside the experts of its own "
                "coefficients is not modelled");
}

}  // namespace

std::string fork_name_of(const job::Word& word) {
  if (!word.text.starts_with("--")) return {};
  std::string name = word.text.substr(2, word.text.find('=') - 2);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::vector<job::Word> with_megatrons_experts(std::vector<job::Word> words,
                                              const job::Source& source, job::Import& import) {
  const Values values = take_own(words);
  const int64_t count = number_of(values, "num_experts", 1);
  if (count == 1) return words;
  refuse_other_experts(values, source, import);
  const Where where = values.at("num_experts")[0].where;
  const auto add = [&](const std::string& text) {
    words.push_back({text, where, {}, "the experts of Megatron-DeepSpeed"});
  };
  add(fmt::format("--num-experts={}", count));
  add(fmt::format("--moe-router-topk={}", number_of(values, "topk", 1)));
  add("--moe-layer-freq=" + pattern_of(layers_of(words), number_of(values, "expert_interval", 2)));
  add(fmt::format("--expert-model-parallel-size={}",
                  number_of(values, "moe_expert_parallel_size", 1)));
  if (!values.contains("enable_expert_tensor_parallelism")) add("--expert-tensor-parallel-size=1");
  add("--moe-token-dispatcher-type=alltoall");
  if (!values.contains("disable_moe_token_dropping"))
    add("--moe-expert-capacity-factor=" + text_of(values, "moe_train_capacity_factor", "1.0"));
  return words;
}

}  // namespace pipewright::deepspeed
