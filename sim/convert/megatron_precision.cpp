#include "convert/megatron_precision.hpp"

#include <fmt/format.h>

#include "config/emit.hpp"

namespace pipewright {

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

Value fp8(MegatronFlags& flags) {
  const std::string recipe = flags.text("fp8-recipe").value_or("delayed");
  const bool tensor_only = flags.has("tp-only-amax-red");
  if (recipe == "delayed") return delayed(tensor_only);
  if (recipe != "tensorwise" && recipe != "blockwise" && recipe != "mxfp8")
    flags.fail("fp8-recipe",
               fmt::format("is delayed, tensorwise, blockwise or mxfp8, not '{}'", recipe));
  Value scaled;
  scaled.set("fp8", scalar(recipe));
  return scaled;
}

}  // namespace

Value megatron_precision(MegatronFlags& flags) {
  const bool bf16 = flags.has("bf16"), fp16 = flags.has("fp16");
  if (flags.has("fp8-format") || flags.has("fp8-hybrid") || flags.has("fp8-e4m3"))
    return fp8(flags);
  return scalar(bf16 ? "bf16" : fp16 ? "fp16" : "fp32");
}

}  // namespace pipewright
