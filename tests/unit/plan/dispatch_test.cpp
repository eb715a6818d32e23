// What of the copies of tokens is sent.
#include "plan/dispatch.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// Four experts over as many devices, on `nodes` nodes, each token with two.
config::Value four_experts(int nodes, const std::string& rest = "") {
  return experiment(
      "model: {transformer: {layers: 2, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 32768, "
      "experts: {count: 4, active: 2, ffn: 4096}}}\n"
      "cluster: {node: {device: a100-sxm-80g, devices: " +
      std::to_string(4 / nodes) + ", interconnect: {kind: nvswitch, link: nvlink3}}, nodes: " +
      std::to_string(nodes) + (nodes > 1 ? ", fabric: {kind: fat-tree, link: hdr, nics: 1}" : "") +
      "}\n"
      "parallel: {tensor: 1, pipeline: 1, data: 4, expert: 4}\n"
      "batch: {global: 4, micro: 1, sequence: 1024}\n"
      "schedule: gpipe\n" +
      rest);
}

double dispatched(const config::Value& experiment) {
  return run(experiment).result.metrics.communication[static_cast<size_t>(Traffic::expert)].bytes;
}

TEST(Dispatch, an_experiment_sends_once_a_node_unless_it_says_otherwise) {
  const double each = dispatched(four_experts(2, "dispatch: each-copy\n"));
  const double once = dispatched(four_experts(2));
  // A row of 2048 bytes goes there and back. NCCL sends 4 bytes of the router's weight apart. The
  // counts that are gathered are the same few bytes.
  const double rows = 4096.0 / (4096 + 4);
  EXPECT_NEAR(once / each, rows * 5 / 6, 1e-4);
  EXPECT_NEAR(dispatched(four_experts(1)) / dispatched(four_experts(1, "dispatch: each-copy\n")),
              rows, 1e-4);
}

TEST(Dispatch, kernels_that_nobody_names_are_those_that_the_machine_has) {
  const auto time = [](const std::string& node, const std::string& kernels) {
    return run(experiment("model: {base: mixtral-8x7b, layers: 2}\ncluster: {node: " + node +
                          ", devices: 8}\nparallel: {expert: 8, zero: 1}\n"
                          "batch: {global: 16, micro: 1, sequence: 4096}\nschedule: 1f1b\n"
                          "precision: MXFP8BlockScaling\ndispatch: {kernels: " +
                          kernels + "}\n"))
        .result.metrics.iteration;
  };
  EXPECT_EQ(time("gb200-nvl72", "auto"), time("gb200-nvl72", "hybridep"));
  EXPECT_EQ(time("dgx-b200", "auto"), time("dgx-b200", "deepep"));
  EXPECT_NE(time("dgx-b200", "auto"), time("dgx-b200", "hybridep"));
}

TEST(Dispatch, a_rack_says_that_the_rates_of_deepep_are_extrapolated) {
  const auto notes = [](const std::string& node, const std::string& kernels) {
    const std::vector<std::string> all =
        run(experiment("model: {base: mixtral-8x7b, layers: 2}\ncluster: {node: " + node +
                       ", devices: 8}\nparallel: {expert: 8, zero: 1}\n"
                       "batch: {global: 16, micro: 1, sequence: 4096}\nschedule: 1f1b\n"
                       "dispatch: {kernels: " +
                       kernels + "}\n"))
            .result.notes;
    return std::ranges::count_if(all, [](const std::string& note) {
      return note.find("extrapolated") != std::string::npos;
    });
  };
  EXPECT_EQ(notes("gb200-nvl72", "deepep"), 1);
  EXPECT_EQ(notes("gb200-nvl72", "hybridep"), 0);
  EXPECT_EQ(notes("dgx-b200", "deepep"), 0);
}

TEST(Dispatch, a_model_without_experts_has_none) {
  const std::string error =
      error_of([] { run(small_gpt("dispatch: each-copy\nschedule: 1f1b\n")); });
  EXPECT_NE(error.find("dispatch: a model without experts sends them nothing"), std::string::npos)
      << error;
}

TEST(Dispatch, on_one_node_a_library_sends_to_each_device_once) {
  // Four of 16 experts, four a device: a device is reached with 1 - C(12, 4) / C(16, 4) = 0.728, so
  // that 0.728 of the copies are sent. NCCL sends all.
  const auto with = [](const char* dispatch) {
    return dispatched(experiment(
        std::string(
            "model: {transformer: {layers: 2, hidden: 1024, heads: 16, ffn: 4096, vocabulary: "
            "32768, experts: {count: 16, active: 4, ffn: 4096}}}\n"
            "cluster: {node: dgx-a100-80g, nodes: 1, devices: 4}\n"
            "parallel: {data: 4, expert: 4}\nbatch: {global: 4, micro: 1, sequence: 1024}\n"
            "schedule: gpipe\ndispatch: ") +
        dispatch));
  };
  EXPECT_NEAR(with("{kernels: deepep}") / with("{kernels: nccl}"), 1 - 495.0 / 1820, 1e-3);
  EXPECT_EQ(with("{kernels: nccl}"), with("each-copy"));
}

TEST(Dispatch, libraries_send_in_their_own_way) {
  const auto said = [](const char* dispatch) {
    return error_of([&] { run(four_experts(1, std::string("dispatch: ") + dispatch)); });
  };
  EXPECT_NE(said("{kernels: hybridep, send: all-gather}").find("send must be once-a-node"),
            std::string::npos);
  EXPECT_NE(said("{kernels: deepep-low-latency, send: once-a-node}").find("must be each-copy"),
            std::string::npos);
  EXPECT_EQ(said("{kernels: deepep-low-latency}"), "no error");
}

TEST(Dispatch, another_word_is_refused) {
  const std::string error = error_of([] { run(four_experts(2, "dispatch: twice\n")); });
  EXPECT_NE(error.find("once-a-node"), std::string::npos) << error;
}

}  // namespace
}  // namespace pipewright::test
