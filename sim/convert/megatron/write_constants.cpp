// Constants of a model as arguments of Megatron-LM.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "convert/megatron/arguments.hpp"
#include "convert/megatron/constant_arguments.hpp"
#include "convert/megatron/writers.hpp"
#include "interop/words.hpp"
#include "workload/model/hugging_face/keys.hpp"
#include "workload/model/model.hpp"

namespace pipewright::megatron {
namespace {

using config::Value;

/// --rotary-base takes whole numbers.
bool add_base(const ModelConstant& constant, ArgumentLines& out) {
  const double base = config::as_number(constant.said, 1, 1e12);
  if (base != std::floor(base)) return false;
  out.add("rotary-base", fmt::format("{:.0f}", base));
  return true;
}

bool says(const Value& map, std::string_view key, double number) {
  const Value* value = hugging_face::find_given(map, key);
  return value && config::as_number(*value, 0, 1e12) == number;
}

const Value* kind_of(const Value& scaling) {
  const Value* kind = hugging_face::find_given(scaling, "rope_type");
  return kind ? kind : hugging_face::find_given(scaling, "type");
}

bool add_llama3(const Value& scaling, ArgumentLines& out) {
  const Value* factor = hugging_face::find_given(scaling, "factor");
  const bool is_fixed = std::ranges::all_of(llama3_constants, [&](const FixedConstant& one) {
    return says(scaling, one.key, one.value);
  });
  if (!factor || !is_fixed) return false;
  out.add("use-rope-scaling");
  out.add("rope-scaling-factor", factor->text);
  return true;
}

bool add_linear(const Value& scaling, ArgumentLines& out) {
  const Value* factor = hugging_face::find_given(scaling, "factor");
  const double times = factor ? config::as_number(*factor, 0, 1e12) : 0;
  if (times != std::floor(times) || times < 1) return false;
  out.add("rotary-seq-len-interpolation-factor", fmt::format("{:.0f}", times));
  return true;
}

/// Every key of the map must have its argument.
bool add_yarn(const Value& scaling, ArgumentLines& out) {
  ArgumentLines lines;
  for (const config::Entry& entry : scaling.entries) {
    if (entry.key == "rope_type" || entry.key == "type") continue;
    const auto* one = std::ranges::find(yarn_constants, entry.key, &YarnConstant::key);
    if (one == std::end(yarn_constants)) return false;
    lines.add(one->argument, entry.value.text);
  }
  for (const ArgumentLine& line : lines.lines()) out.add(line.name, line.value);
  return true;
}

bool add_scaling(const Value& scaling, bool is_latent, ArgumentLines& out) {
  const Value* kind = kind_of(scaling);
  if (!kind) return false;
  if (kind->text == "llama3") return add_llama3(scaling, out);
  if (kind->text == "linear") return add_linear(scaling, out);
  return kind->text == "yarn" && is_latent && add_yarn(scaling, out);
}

/// Squared ReLU has no gate there, and quick GELU has one.
bool has_its_gate(const Experiment& e, const ModelConstant& constant) {
  const bool gated = e.model_or_fail().transformer.gated;
  if (constant.what != Constant::activation) return true;
  return (constant.said.text == "quick_gelu") == gated;
}

bool add_worded(const Experiment& e, const ModelConstant& constant, ArgumentLines& out) {
  if (!has_its_gate(e, constant)) return false;
  const auto* one = std::ranges::find_if(worded_constants, [&](const WordedConstant& known) {
    return known.what == constant.what && known.word == job::value_of(constant);
  });
  if (one == std::end(worded_constants)) return false;
  if (one->value.empty())
    out.add(one->argument);
  else
    out.add(one->argument, one->value);
  return true;
}

bool is_latent(const Experiment& e) {
  return e.model_or_fail().transformer.attention.latent.has_value();
}

/// The arguments of a text such as "--qk-clip-alpha 0.5 --use-mup".
std::vector<ArgumentLine> lines_of(const Experiment& e, std::string_view text) {
  std::vector<ArgumentLine> lines;
  for (const std::string_view word : interop::words_of(text)) {
    const bool is_name = word.starts_with("--");
    if (is_name ? !find_argument(word.substr(2)) : lines.empty())
      e.fail("model", fmt::format("constants.megatron_arguments: '{}' is no argument of "
                                  "Megatron-LM, such as --qk-clip-alpha",
                                  word));
    if (is_name)
      lines.push_back({std::string(word.substr(2)), {}});
    else
      lines.back().value += (lines.back().value.empty() ? "" : " ") + std::string(word);
  }
  return lines;
}

}  // namespace

bool write_constant(const Experiment& e, const ModelConstant& constant, ArgumentLines& out) {
  if (constant.what == Constant::rotary_base) return add_base(constant, out);
  // write_precision writes it.
  if (constant.what == Constant::fp8_format) return e.precision == DType::fp8;
  if (constant.what == Constant::rotary_scaling)
    return add_scaling(constant.said, is_latent(e), out);
  const auto* one = std::ranges::find(plain_constants, constant.what, &PlainConstant::what);
  if (one == std::end(plain_constants)) return add_worded(e, constant, out);
  out.add(one->argument, job::value_of(constant));
  return true;
}

void write_constants(const Experiment& e, ArgumentLines& out) {
  for (const ModelConstant& constant : job::model_constants(e)) write_constant(e, constant, out);
}

ArgumentLines model_arguments(const Experiment& e) {
  ArgumentLines out;
  for (const ModelConstant& constant : job::model_constants(e))
    if (constant.what == Constant::megatrons_arguments)
      for (const ArgumentLine& line : lines_of(e, constant.said.text))
        out.add({line.name, in_bash(line.value)});
  return out;
}

void write_own_constants(const Experiment& e, ArgumentLines& out) {
  const ArgumentLines all = model_arguments(e);
  for (const ArgumentLine& line : all.lines()) out.add(line);
}

bool says_constant(const Experiment& e, const ModelConstant& constant) {
  ArgumentLines unused;
  return write_constant(e, constant, unused);
}

bool says_own_constant(const Experiment& e, const ModelConstant& constant) {
  return constant.what == Constant::megatrons_arguments || says_constant(e, constant);
}

}  // namespace pipewright::megatron
