#include "diagnose/traced_layers.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "schedule/kinds/kinds.hpp"
#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

/// Kernels of a stage, one after another, each with its length in us; messages after each pass.
class Stage {
 public:
  Stage(int stage, int stages) : stage_(stage), stages_(stages) {}

  Stage& pass(bool back, const std::vector<std::pair<std::string, double>>& kernels) {
    const double begin = at_;
    for (const auto& [name, length] : kernels) {
      trace_.kernel(name, at_, length, at_, back ? 2 : 1);
      at_ += length;
    }
    if (back) trace_.backward(begin, at_ - begin - 0.5, 2);
    if (stages_ > 1)
      trace_.collective("send", "PIPELINE_MODEL_PARALLEL_GROUP", "[0, 1]", 2, at_, 3, at_);
    at_ += 10;
    return *this;
  }
  std::string text() const { return trace_.text(stage_, stages_); }

 private:
  int stage_, stages_;
  double at_ = 0;
  TorchTrace trace_;
};

struct Job {
  TemporaryFolder folder;
  std::vector<std::string> files;

  Job& add(const Stage& stage) {
    files.push_back(folder.write(std::to_string(files.size()), stage.text()));
    return *this;
  }
  diagnose::TracedLayers layers() const {
    return diagnose::traced_layers(
        diagnose::read_traced_ranks(files, diagnose::Unreadable::refused).ranks);
  }
};

void expect(const diagnose::TracedLayer& layer, const std::string& name, double forward_us,
            double backward_us) {
  EXPECT_EQ(layer.name, name);
  EXPECT_NEAR(in_seconds(layer.forward), forward_us * 1e-6, 1e-12);
  EXPECT_NEAR(in_seconds(layer.backward), backward_us * 1e-6, 1e-12);
}

Stage alone() {
  Stage stage(0, 1);
  for (int i = 0; i < 2; ++i)
    stage
        .pass(false,
              {{"embed", 5}, {"gemm", 8}, {"norm", 2}, {"gemm", 9}, {"norm", 2}, {"head", 7}})
        .pass(true, {{"head_b", 14},
                     {"norm_b", 4},
                     {"gemm_b", 16},
                     {"norm_b", 4},
                     {"gemm_b", 18},
                     {"embed_b", 3}});
  return stage;
}

TEST(TracedLayers, are_the_kernels_of_a_micro_batch) {
  const diagnose::TracedLayers found = Job().add(alone()).layers();
  EXPECT_EQ(found.micro_batches, 2);
  EXPECT_EQ(found.stages, 1);
  ASSERT_EQ(found.layers.size(), 4u);
  expect(found.layers[0], "before the layers", 5, 3);
  expect(found.layers[1], "layer 0", 10, 22);
  expect(found.layers[2], "layer 1", 11, 20);
  expect(found.layers[3], "after the layers", 7, 14);
}

// The first stage has an embedding, the second a head; what else stands around layers is of them.
TEST(TracedLayers, of_stages_follow_one_another) {
  Stage first(0, 2), second(1, 2);
  for (int i = 0; i < 2; ++i) {
    first
        .pass(false,
              {{"embed", 5}, {"gemm", 8}, {"norm", 2}, {"gemm", 8}, {"norm", 2}, {"cast", 1}})
        .pass(true, {{"norm_b", 4}, {"gemm_b", 16}, {"norm_b", 4}, {"gemm_b", 16}});
    second
        .pass(false, {{"cast", 1}, {"gemm", 8}, {"norm", 2}, {"gemm", 8}, {"norm", 2}, {"head", 7}})
        .pass(true, {{"head_b", 14}, {"norm_b", 4}, {"gemm_b", 16}, {"norm_b", 4}, {"gemm_b", 16}});
  }
  const diagnose::TracedLayers found = Job().add(first).add(second).layers();
  EXPECT_EQ(found.stages, 2);
  EXPECT_EQ(found.message_bytes, 2000);
  ASSERT_EQ(found.layers.size(), 6u);
  expect(found.layers[0], "before the layers", 5, 0);
  expect(found.layers[1], "layer 0", 10, 20);
  expect(found.layers[2], "layer 1", 11, 20);
  expect(found.layers[3], "layer 2", 11, 20);
  expect(found.layers[4], "layer 3", 10, 20);
  expect(found.layers[5], "after the layers", 7, 14);
}

/// Two stages of two chunks with two layers each, under interleaved 1F1B with four micro-batches.
/// The first chunk of the first stage has an embedding.
TEST(TracedLayers, chunks_follow_one_another_too) {
  const std::vector<std::pair<std::string, double>> forward = {{"gemm", 8}, {"gemm", 8}},
                                                    backward = {{"gemm_b", 16}, {"gemm_b", 16}};
  Job job;
  const schedule::Schedule order = schedule::build(
      {.ranks = 2, .micro_batches = 4}, config::parse("{name: interleaved-1f1b, virtual: 2}", "t"));
  for (int stage = 0; stage < 2; ++stage) {
    Stage one(stage, 2);
    for (const schedule::Action& action : order.order[static_cast<size_t>(stage)]) {
      const bool back = action.pass != schedule::Pass::forward;
      auto kernels = back ? backward : forward;
      if (action.stage == 0 && !back) kernels.insert(kernels.begin(), {"embed", 5});
      one.pass(back, kernels);
    }
    job.add(one);
  }
  const diagnose::TracedLayers found = job.layers();
  EXPECT_EQ(found.micro_batches, 4);
  ASSERT_EQ(found.layers.size(), 9u);
  expect(found.layers[0], "before the layers", 5, 0);
  for (size_t i = 1; i < 9; ++i) expect(found.layers[i], fmt::format("layer {}", i - 1), 8, 16);
}

TEST(TracedLayers, every_stage_must_show_some) {
  Stage first(0, 2);
  first.pass(false, {{"gemm", 8}, {"gemm", 8}}).pass(true, {{"gemm_b", 8}, {"gemm_b", 8}});
  EXPECT_NE(
      error_of([&] { Job().add(first).layers(); }).find("no rank of stage 1 (of 2) shows layers"),
      std::string::npos);
}

TEST(TracedLayers, passes_that_overlap_show_none) {
  diagnose::TracedRank rank{.file = "rank0.json", .overlaps_passes = true};
  rank.alone.layers = {{.name = "before the layers"}, {.name = "layer"}, {.name = "after"}};
  rank.alone.micro_batches = 1;
  EXPECT_NE(error_of([&] {
              diagnose::traced_layers({rank});
            }).find("a forward and a backward pass run as one overlapped pair"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
