// The cluster and the profile that an experiment names.
#include "experiment/hardware.hpp"

#include <gmock/gmock.h>

#include "config/catalogue.hpp"
#include "error_of.hpp"

namespace pipewright {
namespace {

using test::error_of;

Experiment experiment_of(const std::string& keys) {
  const config::Catalogue catalogue;
  return read_experiment(resolve(
      config::parse("{model: gpt2-small, schedule: 1f1b, " + keys + "}", "e.yaml"), catalogue));
}

TEST(Hardware, a_profile_is_measured_or_a_data_sheet_unless_it_is_named) {
  const config::Catalogue catalogue;
  const std::string cluster = "cluster: {node: dgx-a100-80g, nodes: 1}";
  const auto asked = [&](const std::string& more) {
    const Experiment experiment = experiment_of(cluster + more);
    return asked_profile(experiment, cluster_of(experiment, catalogue), catalogue);
  };
  EXPECT_TRUE(asked("").measured);
  EXPECT_TRUE(asked(", profile: auto").measured);
  EXPECT_FALSE(asked(", profile: datasheet").measured);
  EXPECT_FALSE(asked(", profile: datasheet").named);
}

TEST(Hardware, a_profile_of_a_device_that_is_not_there_is_refused) {
  const config::Catalogue catalogue;
  const Experiment experiment =
      experiment_of("cluster: {node: dgx-h100, nodes: 1}, profile: a100-sxm-80g");
  const Cluster cluster = cluster_of(experiment, catalogue);
  EXPECT_THAT(error_of([&] { asked_profile(experiment, cluster, catalogue); }),
              testing::HasSubstr("which the cluster does not have: it has 'h100"));
}

TEST(Hardware, a_cluster_without_devices_is_for_times_that_are_given) {
  const config::Catalogue catalogue;
  const std::string links = "cluster: {devices: 2, link: {latency: 0 s, bandwidth: 1 GB/s}}";
  const Experiment model = experiment_of(links);
  EXPECT_FALSE(gives_times(model));
  EXPECT_THAT(error_of([&] { cluster_of(model, catalogue); }),
              testing::HasSubstr("the cluster must say which devices it has"));
}

TEST(Hardware, its_text_tells_machines_apart) {
  const std::string cluster = "cluster: {node: dgx-a100-80g, nodes: 1}";
  const std::string once = hardware_text(experiment_of(cluster));
  EXPECT_EQ(once, hardware_text(experiment_of(cluster + ", precision: fp16")));
  EXPECT_NE(once, hardware_text(experiment_of(cluster + ", profile: datasheet")));
  EXPECT_NE(once, hardware_text(experiment_of("cluster: {node: dgx-a100-80g, nodes: 2}")));
}

}  // namespace
}  // namespace pipewright
