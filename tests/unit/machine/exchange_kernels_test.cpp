// Which library sends tokens on which cluster.
#include "machine/exchange_kernels.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "experiment/hardware.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// Multiprocessors that the kernels hold, which tell libraries apart; -1: NCCL sends.
int processors(const std::string& cluster, const std::string& rest = "") {
  const config::Catalogue catalogue;
  const Experiment e = read_experiment(resolve(
      experiment("model: {base: mixtral-8x7b, layers: 2}\nparallel: {expert: 8}\n"
                 "batch: {global: 72, micro: 1, sequence: 2048}\nschedule: 1f1b\ncluster: " +
                 cluster + "\n" + rest),
      catalogue));
  const std::optional<Exchange> exchange = exchange_of(e, cluster_of(e, catalogue), catalogue);
  return exchange ? exchange->rates.processors : -1;
}

TEST(ExchangeKernels, are_hybridep_s_in_a_rack_and_deepep_s_elsewhere) {
  EXPECT_EQ(processors("{node: dgx-h100}"), 20);
  EXPECT_EQ(processors("{node: gb200-nvl72}"), 16);
}

TEST(ExchangeKernels, are_those_that_the_user_names) {
  EXPECT_EQ(processors("{node: dgx-h100}", "dispatch: {kernels: hybridep}\n"), 16);
  EXPECT_EQ(
      processors("{node: dgx-h100}", "dispatch: {kernels: deepep-low-latency, send: each-copy}\n"),
      0);
  EXPECT_EQ(processors("{node: dgx-h100}", "dispatch: each-copy\n"), -1);
}

TEST(ExchangeKernels, tell_machines_apart_that_are_kept) {
  const config::Catalogue catalogue;
  const auto text = [&](const char* rest) {
    return exchange_text(read_experiment(resolve(
        experiment(std::string("model: {base: mixtral-8x7b, layers: 2}\nparallel: {expert: 8}\n"
                               "batch: {global: 8, micro: 1, sequence: 2048}\nschedule: 1f1b\n"
                               "cluster: {node: dgx-h100}\n") +
                   rest),
        catalogue)));
  };
  EXPECT_NE(text(""), text("dispatch: {kernels: hybridep}\n"));
  EXPECT_EQ(text("dispatch: each-copy\n"), "");
}

}  // namespace
}  // namespace pipewright::test
