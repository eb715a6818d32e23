#include "convert/torchtitan/along.hpp"

#include <gtest/gtest.h>

#include "job_settings.hpp"

namespace pipewright::test {
namespace {

// Earlier releases had other names and keys; what v0.2.2 does not have would end it.
TEST(TorchtitanAlong, keys_go_by_the_names_of_the_last_release_of_toml) {
  const job::Source source{.text = {}, .file = "job.toml"};
  job::Import import;
  const job::Settings settings(
      config::parse("{training: {warmup_steps: 5, dataset: c4}, metrics: {old: 1},\n"
                    " float8: {filter_fqns: [output]}, compile: {enable: true}}",
                    "job.toml"),
      source, import);
  import.idle = {"training.warmup_steps", "training.dataset", "metrics.old"};
  torchtitan::carry_along(import, settings);
  EXPECT_EQ(job::written(import.carried),
            "{torchtitan: {lr_scheduler: {warmup_steps: 5}, training: {dataset: c4}, "
            "compile: {enable: true}, quantize: {linear: {float8: {filter_fqns: [output]}}}, "
            "left: [metrics.old: 1]}}");
}

}  // namespace
}  // namespace pipewright::test
