#include "convert/job/leaves.hpp"

#include <gtest/gtest.h>

#include "experiments.hpp"

namespace pipewright::test {
namespace {

job::Leaves leaves(const std::string& yaml) {
  return job::leaves_of(experiment(yaml), config::Catalogue(), job::Writer());
}

std::string job_of(const std::string& transformer, const std::string& more) {
  return "model: {transformer: {layers: 4, hidden: 256, heads: 4, vocabulary: 1024, dropout: "
         "false, " +
         transformer + "}}\ncluster: {node: dgx-h100, nodes: 1}\nbatch: {global: 16, micro: 1, " +
         "sequence: 128}\n" + more;
}

// One thing that is written in two ways is the same.
TEST(Leaves, two_forms_of_one_experiment_do_not_differ) {
  const auto same = [](const std::string& first, const std::string& second) {
    return job::differences(leaves(first), leaves(second)).empty();
  };
  const std::string plain = "parallel: {data: 8}\nschedule: 1f1b\n";
  EXPECT_TRUE(same(job_of("gated: true", plain + "recompute: selective\n"),
                   job_of("gated: true", plain + "recompute: {modules: [core_attn]}\n")));
  EXPECT_TRUE(same(job_of("gated: true", plain + "overlap: {weights: true}\n"),
                   job_of("gated: true", plain + "overlap: {weights: false}\n")));
  EXPECT_FALSE(same(job_of("gated: true", plain), job_of("gated: false", plain)));
}

// A list begins again, in the midst of itself too.
TEST(Leaves, lists_of_layers_that_say_the_same_do_not_differ) {
  const auto windowed = [](const std::string& mixers) {
    return leaves(
        job_of("window: 64, mixers: [" + mixers + "]", "parallel: {data: 8}\nschedule: 1f1b\n"));
  };
  const job::Leaves all = windowed("sliding, sliding, full, sliding");
  EXPECT_TRUE(job::differences(all, windowed("sliding, sliding, full")).empty());
  EXPECT_FALSE(job::differences(all, windowed("sliding, full")).empty());
}

// Biases of attention and of experts, which are all the products that there are.
TEST(Leaves, biases_of_all_products_are_said_by_one_word) {
  const std::string plain = "parallel: {data: 8, expert: 8}\nschedule: 1f1b\n";
  const std::string apart = job_of(
      "bias: false, attention: {bias: all}, experts: {count: 8, ffn: 256, bias: true}", plain);
  const std::string together =
      job_of("bias: true, experts: {count: 8, ffn: 256, bias: true}", plain);
  const std::string none = job_of("bias: false, experts: {count: 8, ffn: 256}", plain);
  EXPECT_TRUE(job::differences(leaves(apart), leaves(together)).empty());
  EXPECT_FALSE(job::differences(leaves(apart), leaves(none)).empty());
}

}  // namespace
}  // namespace pipewright::test
