// The inverse of write_constants.cpp.
#include "convert/megatron/read_constants.hpp"

#include <algorithm>

#include "config/emit.hpp"
#include "convert/megatron/constant_arguments.hpp"
#include "interop/words.hpp"

namespace pipewright::megatron {
namespace {

using config::scalar;
using config::Value;

class Constants {
 public:
  Constants(Flags& flags, const Value& transformer) : flags_(flags), transformer_(transformer) {}

  Value run() {
    for (const PlainConstant& one : plain_constants)
      if (has_part(one.what))
        add(key_of(one.what), one.argument);
      else
        number(one.argument);  // which says nothing there
    if (flags_.has("layernorm-epsilon")) add(key_of(Constant::norm_epsilon), "layernorm-epsilon");
    for (const WordedConstant& one : worded_constants)
      if (is_of_router(one) && flags_.accept(std::string(one.argument), one.value) &&
          has_part(one.what) && !is_usual(one))
        out_.set(name_of(one.what), scalar(one.word));
    scaling();
    fp8_format();
    if (const std::string more = flags_.of_model(); !more.empty())
      out_.set(name_of(Constant::megatrons_arguments), scalar(more)).quoted = true;
    return std::move(out_);
  }

 private:
  bool is(std::string_view key, std::string_view value) const {
    const Value* found = transformer_.find(key);
    return found && found->text == value;
  }

  /// A model without experts has no router.
  bool has_part(Constant what) const {
    constexpr Constant of_router[] = {Constant::balance_loss, Constant::sequence_balance,
                                      Constant::z_loss,       Constant::router_jitter,
                                      Constant::router_score, Constant::router_scaling,
                                      Constant::router_bias,  Constant::shares_as_are};
    return std::ranges::find(of_router, what) == std::end(of_router) ||
           transformer_.find("experts");
  }

  /// Tells whether a word says what holds where nobody says anything.
  static bool is_usual(const WordedConstant& one) {
    return one.what == Constant::sequence_balance && one.word == "false";
  }

  /// Shares of a sigmoid are always brought to a sum of one (moe_utils.py,
  /// topk_routing_with_score_function).
  bool is_of_router(const WordedConstant& one) const {
    const std::optional<std::string> score = flags_.look("moe-router-score-function");
    return one.what != Constant::shares_as_are || score.value_or("softmax") == "softmax";
  }

  std::string key_of(Constant what) const {
    if (what == Constant::norm_epsilon && !is("norm", "rmsnorm")) return "layer_norm_eps";
    return std::string(name_of(what));
  }

  /// Returns a number as YAML has it; nothing where the argument says none that is known.
  std::optional<Value> number(std::string_view argument) {
    std::optional<std::string> text = flags_.said(std::string(argument));
    if (!text) return std::nullopt;
    std::erase(*text, '_');
    if (!interop::number_of<double>(*text)) return std::nullopt;
    return scalar(*text);
  }

  void add(const std::string& key, std::string_view argument) {
    const std::optional<Value> value = number(argument);
    // The whole of a head is rotated where nobody says it.
    const bool is_whole =
        argument == "rotary-percent" && value && interop::number_of<double>(value->text) == 1.0;
    if (value && !is_whole) out_.set(key, *value);
  }

  void scaling() {
    Value map;
    const bool is_asked = flags_.has("use-rope-scaling");
    if (!is_asked) flags_.has("rope-scaling-factor");  // which says nothing alone
    if (is_asked) {
      map.set("rope_type", scalar("llama3"));
      const std::optional<Value> factor = number("rope-scaling-factor");
      map.set("factor", factor ? *factor : config::number(8));
      for (const FixedConstant& one : llama3_constants) map.set(one.key, config::number(one.value));
    } else if (const std::optional<Value> factor = number("rotary-seq-len-interpolation-factor")) {
      map.set("rope_type", scalar("linear"));
      map.set("factor", *factor);
    } else if (transformer_.find("latent")) {
      for (const YarnConstant& one : yarn_constants)
        if (const std::optional<Value> value = number(one.argument)) map.set(one.key, *value);
      if (!map.is_null()) map.set("rope_type", scalar("yarn"));
    }
    if (!map.is_null()) out_.set(name_of(Constant::rotary_scaling), std::move(map));
  }

  /// The format that a recipe does not usually have.
  void fp8_format() {
    std::optional<std::string> format = flags_.said("fp8-format");
    if (flags_.accept("fp8-e4m3", "")) format = "e4m3";
    const std::string recipe = flags_.said("fp8-recipe").value_or("delayed");
    if (format && *format != usual_fp8_format(recipe))
      out_.set(name_of(Constant::fp8_format), scalar(*format));
  }

  Flags& flags_;
  const Value& transformer_;
  Value out_;
};

}  // namespace

Value read_constants(Flags& flags, const Value& transformer) {
  return Constants(flags, transformer).run();
}

}  // namespace pipewright::megatron
