// Degrees as the axes of FSDP2's device mesh.
#include "experiment/device_mesh.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/emit.hpp"
#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// A GPT on two nodes of eight devices; half of its blocks have experts.
config::Value meshed(const std::string& parallel) {
  config::Value job = small_gpt("parallel: {" + parallel + "}\nschedule: gpipe\n");
  config::set_path(job, "model.experts={count: 8, active: 2, every: 2}");
  return job;
}

void expect_same(const std::string& mesh, const std::string& degrees) {
  SCOPED_TRACE(mesh);
  const RunResult short_form = run(meshed("mesh: {" + mesh + "}")).result;
  const RunResult long_form = run(meshed(degrees)).result;
  EXPECT_EQ(config::to_yaml(short_form.experiment), config::to_yaml(long_form.experiment));
  EXPECT_EQ(short_form.metrics.iteration, long_form.metrics.iteration);
  EXPECT_EQ(short_form.metrics.ranks[0].memory.total(), long_form.metrics.ranks[0].memory.total());
}

std::string mesh_refusal(const std::string& parallel) {
  return error_of([&] { run(meshed(parallel)); });
}

bool says(const std::string& message, const std::string& part) {
  return message.find(part) != std::string::npos;
}

TEST(DeviceMesh, means_the_degrees_that_torchtitan_folds_it_into) {
  expect_same("shard: 16", "data: 16, zero: 3");
  expect_same("replicate: 2, shard: 8", "data: 16, zero: 3, shard: 8");
  expect_same("tensor: 2, replicate: 2, shard: 4", "tensor: 2, data: 8, zero: 3, shard: 4");
  // Weights are cut over the ranks of a sequence, too.
  expect_same("context: 2, replicate: 2, shard: 4", "context: 2, data: 8, zero: 3, shard: 8");
  expect_same("expert: 8, replicate: 2, shard: 8", "expert: 8, data: 16, zero: 3, shard: 8");
  expect_same("context: {degree: 4, exchange: all-gather}, shard: 4",
              "context: {degree: 4, exchange: all-gather}, data: 4, zero: 3");
  expect_same("pipeline: 2, shard: 8", "pipeline: 2, data: 8, zero: 3");
}

TEST(DeviceMesh, of_one_shard_cuts_nothing) {
  expect_same("replicate: 16, shard: 1", "data: 16, zero: 0");
  // But the ranks of a sequence share the weights.
  expect_same("context: 2, shard: 1, replicate: 8", "context: 2, data: 8, zero: 3, shard: 2");
}

TEST(DeviceMesh, that_says_no_shards_has_what_is_left) {
  const auto time = [](const std::string& mesh) {
    return run(meshed("mesh: {" + mesh + "}")).result.metrics.iteration;
  };
  EXPECT_EQ(time("tensor: 4"), time("tensor: 4, shard: 4"));
  EXPECT_EQ(time("tensor: 2, replicate: 2"), time("tensor: 2, replicate: 2, shard: 4"));
}

// All meshes of up to four axes over two, four and eight: those that fill 16 devices run.
TEST(DeviceMesh, is_all_devices_or_refused) {
  const int degrees[] = {1, 2, 4, 8};
  for (const int replicate : degrees)
    for (const int shard : degrees)
      for (const int tensor : degrees)
        for (const int context : degrees) {
          const std::string mesh =
              fmt::format("mesh: {{replicate: {}, shard: {}, tensor: {}, context: {}}}", replicate,
                          shard, tensor, context);
          if (replicate * shard * tensor * context == 16) continue;
          EXPECT_TRUE(says(mesh_refusal(mesh), "the cluster's 16 devices")) << mesh;
        }
}

TEST(DeviceMesh, that_is_wrong_is_told_what_would_be_right) {
  EXPECT_EQ(mesh_refusal("mesh: {replicate: 2, shard: 4}"),
            "x.yaml:4:18: error: parallel.mesh: replicate 2 x shard 4 is not the cluster's 16 "
            "devices; shard: 8 fills them");
  EXPECT_EQ(mesh_refusal("mesh: {tensor: 3}"),
            "x.yaml:4:18: error: parallel.mesh: tensor 3 must divide the cluster's 16 devices");
  EXPECT_TRUE(says(mesh_refusal("mesh: {replicate: 4, shard: 4, expert: 8}"),
                   "expert 8 must divide shard x context x tensor = 4, such as 4"));
  EXPECT_TRUE(says(mesh_refusal("mesh: {expert: 7}"),
                   "expert 7 must divide shard x context x tensor = 16, such as 4 or 8"));
  EXPECT_TRUE(says(mesh_refusal("mesh: {replicate: 16, shard: 1, expert: 3}"),
                   "expert 3 must divide replicate x context x tensor = 16, such as 2 or 4"));
  EXPECT_TRUE(says(mesh_refusal("data: 16, zero: 3, shard: 7"), "context 1, such as 4 or 8"));
  EXPECT_TRUE(says(mesh_refusal("mesh: {replicate: 16}"), "leaves no replicas to cut"));
  EXPECT_TRUE(says(mesh_refusal("mesh: {shards: 8}"), "did you mean 'shard'?"));
  EXPECT_TRUE(says(mesh_refusal("mesh: {shard: 16}, zero: 3"), "either 'mesh' or 'zero'"));
  EXPECT_TRUE(says(mesh_refusal("mesh: {shard: 16}, tensor: 2"),
                   "either 'mesh' or 'tensor'; parallel.mesh.tensor says it"));
}

TEST(DeviceMesh, copies_may_be_said_without_it) {
  const auto result = [](const std::string& parallel) {
    return config::to_yaml(run(meshed(parallel)).result.experiment);
  };
  EXPECT_EQ(result("data: 16, zero: 3, replicate: 2"), result("data: 16, zero: 3, shard: 8"));
  EXPECT_TRUE(says(mesh_refusal("data: 16, zero: 3, replicate: 3"), "must divide data = 16"));
  EXPECT_TRUE(says(mesh_refusal("data: 16, zero: 3, replicate: 2, shard: 8"),
                   "'replicate' means nothing beside 'shard'"));
  EXPECT_TRUE(says(mesh_refusal("data: 16, replicate: 2"), "zero: 3"));
}

}  // namespace
}  // namespace pipewright::test
