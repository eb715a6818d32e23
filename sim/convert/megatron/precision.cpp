#include "convert/megatron/precision.hpp"

#include <fmt/format.h>

namespace pipewright::megatron {

using config::scalar;
using config::Value;

namespace {

Value delayed(bool tensor_only) {
  if (!tensor_only) return scalar("fp8");
  Value scaled;
  scaled.set("fp8", scalar("delayed"));
  scaled.set("amax", scalar("tensor"));
  return scaled;
}

Value fp8(Flags& flags) {
  const std::string recipe = flags.text("fp8-recipe").value_or("delayed");
  const bool tensor_only = flags.has("tp-only-amax-red");
  if (recipe == "delayed") return delayed(tensor_only);
  if (recipe != "tensorwise" && recipe != "blockwise" && recipe != "mxfp8") {
    flags.refuse("fp8-recipe",
                 fmt::format("is delayed, tensorwise, blockwise or mxfp8 here, not '{}'", recipe));
    return scalar("fp8");
  }
  Value scaled;
  scaled.set("fp8", scalar(recipe));
  return scaled;
}

}  // namespace

Value read_precision(Flags& flags) {
  const bool bf16 = flags.has("bf16"), fp16 = flags.has("fp16");
  if (bf16 && fp16) flags.fail("fp16", "and --bf16 exclude each other");
  const bool fp8_is_asked =
      flags.has("fp8-format") || flags.has("fp8-hybrid") || flags.has("fp8-e4m3");
  const bool local = flags.text("transformer-impl").value_or("transformer_engine") == "local";
  if (fp8_is_asked && local) flags.refuse("transformer-impl", "local has no fp8");
  if (flags.has("fp4-format")) {
    const std::string recipe = flags.text("fp4-recipe").value_or("nvfp4");
    if (recipe != "nvfp4")
      flags.refuse("fp4-recipe", fmt::format("{} cannot be said: it is nvfp4", recipe));
    return scalar("nvfp4");
  }
  if (!fp8_is_asked) return scalar(bf16 ? "bf16" : fp16 ? "fp16" : "fp32");
  if (fp16) flags.refuse("fp16", "beside fp8 cannot be said: the rest is bf16 here");
  return fp8(flags);
}

}  // namespace pipewright::megatron
