#include "convert/megatron/parallel.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "flags_of.hpp"

namespace pipewright::test {
namespace {

using Layers = std::vector<int>;

/// Eight layers, or as many as are said, on four pipeline ranks.
megatron::Parallelism parallel_of(const std::string& text, int64_t layers = 8) {
  FlagsOf given(text);
  return read_parallel(*given.flags, {.pipeline = 4, .layers = layers});
}

TEST(MegatronParallel, layers_of_a_virtual_stage_say_how_many_there_are) {
  const megatron::Parallelism result = parallel_of("--num-layers-per-virtual-pipeline-stage 1");
  EXPECT_EQ(result.virtual_stages, 2);
  EXPECT_EQ(result.parallel.find("virtual")->text, "2");
  EXPECT_TRUE(result.partition.empty());
}

TEST(MegatronParallel, uneven_ends_are_a_partition) {
  const megatron::Parallelism result = parallel_of(
      "--decoder-first-pipeline-num-layers 2 "
      "--decoder-last-pipeline-num-layers 0");
  EXPECT_EQ(result.partition, (Layers{2, 2, 2, 2}));
  EXPECT_EQ(result.virtual_stages, 1);
}

// Ranks of 2, 4, 4 and 2 layers, each in two stages; stages in model order.
TEST(MegatronParallel, uneven_ends_are_cut_into_virtual_stages) {
  const megatron::Parallelism result = parallel_of(
      "--decoder-first-pipeline-num-layers 2 --decoder-last-pipeline-num-layers 2 "
      "--num-virtual-stages-per-pipeline-rank 2",
      12);
  EXPECT_EQ(result.partition, (Layers{1, 2, 2, 1, 1, 2, 2, 1}));
}

// Ten layers, embedding and loss are twelve: three a rank, of which the ends have two layers.
TEST(MegatronParallel, the_ends_may_count_as_layers) {
  const megatron::Parallelism result = parallel_of(
      "--account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split", 10);
  EXPECT_EQ(result.partition, (Layers{2, 3, 3, 2}));
}

TEST(MegatronParallel, the_ends_leave_as_many_for_each_of_the_others) {
  const std::string error = error_of([] { parallel_of("--decoder-first-pipeline-num-layers 1"); });
  EXPECT_NE(error.find("leaves 7 layers for 3 other ranks"), std::string::npos) << error;
  EXPECT_NE(error_of([] { parallel_of("", 10); }).find("cannot be cut"), std::string::npos);
}

TEST(MegatronParallel, a_layout_and_a_number_of_stages_agree) {
  const std::string layout = "--pipeline-model-parallel-layout 'Et|t|t|t|t|t|t|tL' ";
  EXPECT_EQ(parallel_of(layout + "--num-virtual-stages-per-pipeline-rank 2").virtual_stages, 2);
  EXPECT_NE(error_of([&] {
              parallel_of(layout + "--num-virtual-stages-per-pipeline-rank 4");
            }).find("is 4, and the layout has 8 stages for 4 pipeline ranks: 2 of each"),
            std::string::npos);
}

// Megatron-Core's validate_layer_layout.
TEST(MegatronParallel, a_layout_has_the_modules_that_predict) {
  const auto error = [](const std::string& layout) {
    return error_of([&] {
      parallel_of("--mtp-num-layers 1 --pipeline-model-parallel-layout '" + layout + "' ");
    });
  };
  EXPECT_EQ(error("Ett|tt|tt|ttmL"), "no error");
  EXPECT_NE(error("Ett|tt|tt|ttL").find("the model has 1 m, the layout 0"), std::string::npos);
}

TEST(MegatronParallel, fully_sharded_weights_are_the_third_stage_of_zero) {
  const auto zero = [](const std::string& text) {
    return parallel_of(text).parallel.find("zero")->text;
  };
  EXPECT_EQ(zero("--use-torch-fsdp2"), "3");
  EXPECT_EQ(zero("--use-distributed-optimizer"), "1");
  EXPECT_EQ(zero("--use-distributed-optimizer --data-parallel-sharding-strategy optim_grads"), "1");
  EXPECT_EQ(zero("--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads"), "2");
  EXPECT_EQ(zero("--use-megatron-fsdp"), "3");
  EXPECT_EQ(zero("--use-custom-fsdp"), "0");
  EXPECT_EQ(zero(""), "0");
}

TEST(MegatronParallel, experts_that_are_spread_are_cut_as_the_rest_unless_they_say_so) {
  const auto read = [&](const std::string& text) {
    FlagsOf given("--num-experts 8 --expert-model-parallel-size 4 " + text);
    return read_parallel(*given.flags, {.tensor = 2, .data = 4, .layers = 8}).parallel;
  };
  EXPECT_EQ(read("").find("expert")->text, "4");
  EXPECT_EQ(read("").find("expert_tensor")->text, "2");
  EXPECT_EQ(read("--expert-tensor-parallel-size 1").find("expert_tensor"), nullptr);
}

TEST(MegatronParallel, experts_on_every_device_are_cut_as_the_rest) {
  FlagsOf given("--num-experts 8 --expert-tensor-parallel-size 1");
  EXPECT_NE(error_of([&] {
              read_parallel(*given.flags, {.tensor = 2, .data = 4, .layers = 8});
            }).find("experts that are not spread, cut over 1 ranks"),
            std::string::npos);
}

// initialize_model_parallel cuts the data ranks into so many groups that each hold all weights.
TEST(MegatronParallel, instances_of_sharded_weights_are_copies) {
  const std::string instances = "--num-distributed-optimizer-instances 2 ";
  FlagsOf sharded(instances +
                  "--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params");
  EXPECT_EQ(at(read_parallel(*sharded.flags, {.data = 8, .layers = 8}).parallel, {"replicate"}),
            "2");
  FlagsOf whole(instances + "--use-distributed-optimizer");
  EXPECT_NE(error_of([&] {
              read_parallel(*whole.flags, {.data = 8, .layers = 8});
            }).find("the optimizer's state alone is cut over all replicas"),
            std::string::npos);
}

TEST(MegatronParallel, context_ranks_exchange_as_the_arguments_say) {
  FlagsOf given("--cp-comm-type a2a");
  const auto result = read_parallel(*given.flags, {.context = 4, .layers = 8});
  EXPECT_EQ(at(result.parallel, {"context", "exchange"}), "ulysses");
}

TEST(MegatronParallel, two_sizes_are_groups_that_exchange_heads_and_rings) {
  const auto read = [](const std::string& sizes) {
    FlagsOf given("--cp-comm-type a2a+p2p " + sizes);
    return read_parallel(*given.flags, {.context = 16, .layers = 8}).parallel;
  };
  const std::string name = "--hierarchical-context-parallel-sizes ";
  EXPECT_EQ(at(read(name + "8 2"), {"context", "heads"}), "8");
  for (const char* wrong : {"", "8", "8 4", "0 2", "x 2", "8 2 1"})
    EXPECT_NE(
        error_of([&] { read(*wrong ? name + wrong : ""); }).find("whose product is the degree 16"),
        std::string::npos)
        << wrong;
}

TEST(MegatronParallel, checkpoints_with_which_fsdp_stops_are_noted) {
  const auto notes = [](const std::string& text) {
    FlagsOf given("--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads " + text);
    megatron::read_zero(*given.flags);
    return given.import.assumed.size();
  };
  EXPECT_EQ(notes("--ckpt-format fsdp_dtensor"), 0U);
  EXPECT_EQ(notes("--ckpt-format torch_dist"), 1U);
  EXPECT_EQ(notes(""), 1U);
}

// One rank has nobody to share a sequence with, and several may.
TEST(MegatronParallel, one_tensor_rank_says_nothing_of_sequences) {
  FlagsOf given("--sequence-parallel");
  const auto sequence = [&](int64_t tensor) {
    return at(read_parallel(*given.flags, {.tensor = tensor, .pipeline = 1, .layers = 8}).parallel,
              {"sequence"});
  };
  EXPECT_EQ(sequence(1), "none");
  EXPECT_EQ(sequence(2), "true");
}

}  // namespace
}  // namespace pipewright::test
