#include "convert/deepspeed/launcher.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::deepspeed {
namespace {

Launched launch(const std::string& text, std::map<std::string, std::string> given = {}) {
  job::Import import;
  const job::Source source{.text = text,
                           .file = "run.sh",
                           .given = std::move(given),
                           .partial = false,
                           .read = [](const std::string& path) -> std::optional<std::string> {
                             if (path == "hosts") return "a slots=8\nb slots=8\nc slots=8\n";
                             return std::nullopt;
                           }};
  return read_launch(text, "run.sh", source, import);
}

TEST(DeepSpeedLauncher, options_say_the_devices) {
  EXPECT_EQ(launch("deepspeed --num_nodes 2 --num_gpus 4 a.py").world.devices, 8);
  EXPECT_EQ(launch("deepspeed --hostfile hosts a.py").world.devices, 24);
  EXPECT_EQ(launch("deepspeed --hostfile hosts --num_nodes 2 a.py").world.devices, 16);
  EXPECT_EQ(launch("deepspeed --include localhost:0,1 a.py").world.devices, 2);
  EXPECT_EQ(launch("torchrun --nnodes 2 --nproc_per_node 8 a.py --deepspeed x").world.devices, 16);
  EXPECT_EQ(launch("deepspeed a.py").world.devices, 0);
}

// swift/config of ms-swift.
TEST(DeepSpeedLauncher, ms_swift_has_configurations_by_name) {
  const auto config = [](const std::string& name) {
    return launch("torchrun --nproc_per_node 8 swift/cli/sft.py --deepspeed " + name).config;
  };
  ASSERT_TRUE(config("zero2"));
  EXPECT_NE(config("zero2")->find(R"("stage": 2, "overlap_comm": false)"), std::string::npos);
  EXPECT_EQ(config("zero2")->find("offload"), std::string::npos);
  EXPECT_NE(config("zero3_offload")->find(R"("offload_param": {"device": "cpu"})"),
            std::string::npos);
  EXPECT_FALSE(config("zero1_offload"));
  EXPECT_FALSE(config("zero4"));
  EXPECT_FALSE(launch("torchrun --nproc_per_node 8 a.py --deepspeed zero2").config);
}

TEST(DeepSpeedLauncher, hosts_that_cannot_be_read_are_named) {
  EXPECT_EQ(test::error_of([] { launch("deepspeed --hostfile none a.py"); }),
            "run.sh:1:22: error: 'none' cannot be read: --num_nodes and --num_gpus, or --define "
            "NGPU=N, would say the devices too");
  EXPECT_NE(test::error_of([] { launch("deepspeed -e a:1 a.py"); }).find("--include"),
            std::string::npos);
}

TEST(DeepSpeedLauncher, what_the_line_says_needs_no_hostfile) {
  const std::string start = "deepspeed --hostfile=none ";
  EXPECT_EQ(launch(start + "--num_nodes=1 a.py").world.devices, 8);
  EXPECT_EQ(launch(start + "--num_nodes=2 --num_gpus=4 a.py").world.devices, 8);
  EXPECT_EQ(launch(start + "--include=a:0,1@b:0,1 a.py").world.devices, 4);
  EXPECT_NO_THROW(launch(start + "a.py", {{"NGPU", "8"}}));
  EXPECT_THROW(launch(start + "--include=a:0,1@b a.py"), InputError);
}

TEST(DeepSpeedLauncher, the_training_is_found_among_other_programs) {
  const Launched found =
      launch("python prepare.py --a 1\ndeepspeed train.py --deepspeed_config d.json --x $X\n",
             {{"X", "5"}, {"max_steps", "7"}});
  EXPECT_EQ(found.where.line, 2);
  EXPECT_EQ(found.named->text, "d.json");
  EXPECT_FALSE(found.config);
  EXPECT_EQ(found.arguments.map.find("x")->text, "5");
  EXPECT_EQ(found.arguments.map.find("max_steps")->text, "7");
  EXPECT_FALSE(found.arguments.map.find("X"));
  EXPECT_NE(test::error_of([] { launch("echo a\n"); }).find("nothing here starts a training"),
            std::string::npos);
}

TEST(DeepSpeedLauncher, accelerate_names_the_configuration_before_the_program) {
  for (const char* named : {"--deepspeed_config_file d.json", "--deepspeed_config_file=d.json"}) {
    const Launched found = launch(std::string("accelerate launch --num_processes 16 ") +
                                  "--use_deepspeed " + named + " train.py --x 1\n");
    ASSERT_TRUE(found.named);
    EXPECT_EQ(found.named->text, "d.json");
    EXPECT_EQ(found.world.devices, 16);
  }
}

TEST(DeepSpeedLauncher, a_script_may_write_the_configuration) {
  const Launched found = launch(
      "cat <<E > d.json\n{\"train_batch_size\": 8}\nE\ndeepspeed a.py --deepspeed_config d.json\n");
  ASSERT_TRUE(found.config);
  EXPECT_NE(found.config->find("train_batch_size"), std::string::npos);
}

// deepspeed/launcher/runner.py counts the devices that it sees.
TEST(DeepSpeedLauncher, devices_may_be_hidden) {
  EXPECT_EQ(launch("CUDA_VISIBLE_DEVICES=0,1 deepspeed a.py").world.devices, 2);
  EXPECT_EQ(launch("export CUDA_VISIBLE_DEVICES=3\ndeepspeed a.py").world.devices, 1);
  EXPECT_EQ(launch("CUDA_VISIBLE_DEVICES=0 deepspeed --num_gpus 4 a.py").world.devices, 4);
  EXPECT_EQ(launch("CUDA_VISIBLE_DEVICES=0,1 deepspeed --include localhost:0 a.py").world.devices,
            1);
}

}  // namespace
}  // namespace pipewright::deepspeed
