#include "simulate/following_settings.hpp"

#include <gmock/gmock.h>

#include "config/catalogue.hpp"
#include "config/emit.hpp"
#include "experiment/experiment.hpp"
#include "experiment/resolved_document.hpp"
#include "support/experiments.hpp"

namespace pipewright {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

config::Value job_of(const std::string& more) {
  return test::experiment(
      "model: {transformer: {layers: 8, hidden: 2048, heads: 16, ffn: 8192, vocabulary: 1024}}\n"
      "cluster: {devices: 8, device: {flops: {bf16: 100 TFLOP/s}, memory: 80 GB, "
      "memory_bandwidth: 1 TB/s}, link: {latency: 1 us, bandwidth: 100 GB/s}}\n"
      "batch: {micro: 4, sequence: 1024, global: 64}\nschedule: 1f1b\n" +
      more);
}

std::vector<std::string> following(const config::Value& document,
                                   const std::vector<std::string>& settings) {
  const config::Catalogue catalogue;
  return FollowingSettings(document, catalogue).of(settings);
}

std::string resolved_text(const config::Value& document) {
  return config::to_yaml(
      resolved_document(read_experiment(resolve(document, config::Catalogue()))));
}

TEST(FollowingSettings, what_is_not_said_follows_by_itself) {
  const config::Value open = job_of("parallel: {data: 8}\nframework: nanotron\n");
  EXPECT_THAT(following(open, {"parallel.zero=1"}), IsEmpty());
}

// nanotron sums gradients beside the last backward pass without ZeRO only.
TEST(FollowingSettings, what_is_said_as_it_follows_is_said_anew) {
  const std::string nanotron = "parallel: {data: 8}\nframework: nanotron\n";
  EXPECT_THAT(following(job_of(nanotron + "overlap: {data: true}\n"), {"parallel.zero=1"}),
              ElementsAre("overlap.data=false"));
  EXPECT_THAT(following(job_of(nanotron + "overlap: {data: false}\n"), {"parallel.zero=1"}),
              IsEmpty())
      << "it did not follow";
}

// Law: whatever follows, a resolved experiment with the settings is the experiment with them.
TEST(FollowingSettings, a_resolved_experiment_changes_as_the_experiment_does) {
  for (const char* framework : {"", "framework: nanotron\n", "attention: unfused\n"})
    for (const char* setting : {"parallel.zero=1", "parallel.zero=2", "parallel.zero=3"}) {
      config::Value open = job_of(std::string("parallel: {data: 8}\n") + framework);
      config::Value said = resolved_document(read_experiment(resolve(open, config::Catalogue())));
      const std::vector<std::string> more = following(said, {setting});
      config::set_path(open, setting);
      config::set_path(said, setting);
      for (const std::string& one : more) config::set_path(said, one);
      EXPECT_EQ(resolved_text(said), resolved_text(open)) << framework << setting;
    }
}

TEST(FollowingSettings, fewer_replicas_share_what_all_of_them_did) {
  const config::Value said = job_of("parallel: {data: 8, zero: 3, shard: 8}\n");
  EXPECT_THAT(following(said, {"parallel.tensor=2", "parallel.data=4"}),
              ElementsAre("parallel.shard=4"));
  const config::Value own = job_of("parallel: {data: 8, zero: 3, shard: 4}\n");
  EXPECT_THAT(following(own, {"parallel.tensor=2", "parallel.data=4"}), IsEmpty());
}

}  // namespace
}  // namespace pipewright
