#include "convert/megatron/along.hpp"

#include <gtest/gtest.h>

#include "convert/job/settings.hpp"
#include "flags_of.hpp"

namespace pipewright::test {
namespace {

config::Value along(const std::string& arguments) {
  FlagsOf given(arguments);
  given.flags->has("num-layers");
  return megatron::arguments_along(*given.flags);
}

std::string with(const megatron::ArgumentLines& lines, const char* along, int64_t global = 8) {
  return megatron::with_along(lines, config::parse(along, "a.yaml"), global).text();
}

TEST(Along, learning_rates_and_data_go_along) {
  EXPECT_EQ(job::written(along("--num-layers 2 --lr 3e-4 --data-path 0.3 a 0.7 b "
                               "--no-bias-swiglu-fusion --bf16")),
            "{lr: 3e-4, data-path: [0.3, a, 0.7, b], no-bias-swiglu-fusion: true}");
}

// A variable that the script takes from outside stays one; what only a machine knows does not go,
// and neither does an argument that releases of today lack.
TEST(Along, what_only_the_script_makes_is_left) {
  EXPECT_EQ(job::written(along("--save ${1} --load $2/x")), "{save: ${1}, load: ${2}/x}");
  EXPECT_EQ(job::written(along("--save $DIR/x --load $(pwd)/y --data-impl mmap")),
            "{save: ${DIR}/x, left: [--load $(pwd)/y, --data-impl mmap]}");
}

// A fork's choice would stop the parser of today.
TEST(Along, values_that_no_release_takes_are_left) {
  EXPECT_EQ(job::written(along("--lr-wsd-decay-style 1-sqrt --lr 1e-4")),
            "{lr: 1e-4, left: [--lr-wsd-decay-style 1-sqrt]}");
}

// Another plan may have no use for what depends on degrees.
TEST(Along, arguments_of_a_plan_do_not_go) {
  EXPECT_TRUE(along("--tp-comm-overlap-rs-dgrad --ddp-num-buckets 4").is_null());
}

TEST(Along, a_tokenizer_with_files_stands_for_itself) {
  EXPECT_TRUE(along("--tokenizer-type NullTokenizer --vocab-size 100").is_null());
  EXPECT_EQ(job::written(along("--vocab-file v.json")), "{vocab-file: v.json}");
  const std::string tokens = "{tokenizer-type: HuggingFaceTokenizer, tokenizer-model: m}";
  EXPECT_EQ(job::written(along("--tokenizer-type HuggingFaceTokenizer --tokenizer-model m")),
            tokens);
  megatron::ArgumentLines lines;
  lines.add("tokenizer-type", "NullTokenizer");
  lines.add("vocab-size", 100);
  lines.add("num-layers", 2);
  EXPECT_EQ(with(lines, tokens.c_str()),
            "    --num-layers 2\n    --tokenizer-type HuggingFaceTokenizer\n"
            "    --tokenizer-model m\n");
  EXPECT_EQ(job::written(megatron::less_along(
                config::parse("{lr: 1, tokenizer-type: x, vocab-file: y}", "a.yaml"))),
            "{lr: 1}");
}

// Megatron-LM ends where learning rates are counted in the other unit.
TEST(Along, the_length_is_counted_as_the_job_counted_it) {
  megatron::ArgumentLines lines;
  lines.add("train-iters", 10);
  EXPECT_EQ(with(lines, "{train-samples: 999, lr-decay-samples: 5}"),
            "    --train-samples 80\n    --lr-decay-samples 5\n");
  megatron::ArgumentLines samples;
  samples.add("train-samples", 83);
  EXPECT_EQ(with(samples, "{train-iters: 9}"), "    --train-iters 10\n");
  EXPECT_EQ(with(samples, "{lr: 1}"), "    --train-samples 83\n    --lr 1\n");
}

TEST(Along, what_is_written_stands_over_it) {
  megatron::ArgumentLines lines;
  lines.add("ckpt-format", "fsdp_dtensor");
  EXPECT_EQ(with(lines, "{ckpt-format: torch, save: \"$DIR\", split: \"99,1,0\"}"),
            "    --ckpt-format fsdp_dtensor\n    --save \"$DIR\"\n    --split 99,1,0\n");
}

// A rack needs HybridEP; elsewhere the job's own library stays.
TEST(Along, shared_experts_stay_beside_the_exchange) {
  EXPECT_EQ(job::written(along("--moe-shared-expert-overlap")),
            "{moe-shared-expert-overlap: true}");
}

TEST(Along, the_library_of_a_dispatcher_stays) {
  megatron::ArgumentLines lines;
  lines.add("moe-flex-dispatcher-backend", "deepep");
  EXPECT_EQ(with(lines, "{moe-flex-dispatcher-backend: hybridep}"),
            "    --moe-flex-dispatcher-backend hybridep\n");
  megatron::ArgumentLines rack;
  rack.add("moe-flex-dispatcher-backend", "hybridep");
  EXPECT_EQ(with(rack, "{moe-flex-dispatcher-backend: deepep}"),
            "    --moe-flex-dispatcher-backend hybridep\n");
}

}  // namespace
}  // namespace pipewright::test
