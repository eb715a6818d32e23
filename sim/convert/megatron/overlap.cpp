#include "convert/megatron/overlap.hpp"

#include <fmt/format.h>

#include "convert/job/job.hpp"

namespace pipewright::megatron {
namespace {

using config::scalar;
using config::Value;

const std::string& zero_of(Flags& flags) {
  return flags.import().experiment.find("parallel")->find("zero")->text;
}

/// Returns the experts of the model, or null.
const Value* experts_of(Flags& flags) {
  return flags.import().experiment.find("model")->find("transformer")->find("experts");
}

bool spreads_experts(Flags& flags) {
  return experts_of(flags) &&
         flags.import().experiment.find("parallel")->find("expert")->text != "1";
}

/// Tells whether stages exchange beside their passes.
bool hides_messages(Flags& flags, bool is_interleaved, bool is_list) {
  const bool asked = flags.has("overlap-p2p-communication");
  // Since October 2023 nobody has to ask for it.
  const bool is_new = is_list || flags.latest() >= "2023-10";
  const bool by_itself = is_new && !flags.has("no-overlap-p2p-communication");
  return is_interleaved && (asked || by_itself);
}

/// Products are split beside whole weights only.
void overlap_products(Flags& flags, Value& overlap) {
  if (zero_of(flags) != "3")
    overlap.set("tensor", scalar("chunked"));
  else
    flags.import().slight.push_back(
        flags.named("tp-comm-overlap") +
        ": products are taken to wait for tensor collectives, as they are split "
        "beside whole weights only here, not beside ZeRO 3");
}

/// Under ZeRO 3 gathers before every pass hide as `overlap.data` says.
void overlap_gathers(Flags& flags, Value& overlap) {
  const bool beside = flags.has("overlap-param-gather");
  const std::string& zero = zero_of(flags);
  if (zero == "1" || zero == "2") overlap.set("weights", job::truth(beside));
  if (zero == "3" && beside)
    flags.import().slight.push_back(
        flags.named("overlap-param-gather") +
        ": gathers before every pass are taken to hide as gradients do");
}

void read_bucket(Flags& flags) {
  if (!flags.has("ddp-bucket-size")) return;
  Value& e = flags.import().experiment;
  const int64_t parameters = flags.number("ddp-bucket-size", 0);
  const bool wide = e.find("gradients")->text == "fp32";
  e.set("data", {}).set("bucket", scalar(fmt::format("{} B", parameters * (wide ? 4 : 2))));
}

/// Shared experts run beside the tokens' exchange then, where there are both.
void note_shared_experts(Flags& flags) {
  const char* overlap = "moe-shared-expert-overlap";
  const bool has_both = spreads_experts(flags) && experts_of(flags)->find("shared");
  if (flags.has(overlap) && has_both)
    flags.import().slight.push_back(
        flags.named(overlap) +
        ": shared experts are taken to run behind the exchange of tokens, not "
        "beside it: a step may be shorter by at most their time");
}

/// Pairs make weight gradients behind what is sent. Megatron-Core puts them off beside pairs alone.
void read_delay(Flags& flags, bool has_pairs) {
  const char* delay = "delay-wgrad-compute";
  if (flags.has(delay) && !has_pairs)
    flags.refuse(delay,
                 "cannot be said: weight gradients are put off where tokens are exchanged beside "
                 "another micro-batch, by overlap-moe-expert-parallel-comm");
}

}  // namespace

void read_overlap(Flags& flags, const Degrees& degrees, bool is_interleaved, bool is_list) {
  Value overlap;
  const bool hides = hides_messages(flags, is_interleaved, is_list);
  overlap.set("p2p", scalar(degrees.pipeline == 1 || hides ? "async" : "rendezvous"));
  overlap.set("data", job::truth(flags.has("overlap-grad-reduce")));
  overlap_gathers(flags, overlap);
  if (flags.has("tp-comm-overlap") && degrees.tensor > 1) overlap_products(flags, overlap);
  const bool has_pairs = flags.has("overlap-moe-expert-parallel-comm");
  if (has_pairs && spreads_experts(flags)) overlap.set("expert", scalar("pairs"));
  read_delay(flags, has_pairs);
  flags.import().experiment.set("overlap", std::move(overlap));
  read_bucket(flags);
}

/// DeepEP and HybridEP send a token once for each node.
void read_dispatch(Flags& flags) {
  const std::string type = flags.text("moe-token-dispatcher-type").value_or("allgather");
  const bool enables = flags.has("moe-enable-deepep");
  const bool said = flags.has("moe-flex-dispatcher-backend") || enables;
  // Of arguments a flexible dispatcher has DeepEP where nobody says its library.
  const bool deep = said || !flags.is_document();
  if (spreads_experts(flags)) {
    const char* way = type == "flex" && deep ? "once-a-node" : "each-copy";
    flags.import().experiment.set("dispatch", scalar(type == "allgather" ? "all-gather" : way));
  }
  note_shared_experts(flags);
}

}  // namespace pipewright::megatron
