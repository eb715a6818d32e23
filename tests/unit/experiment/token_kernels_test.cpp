// Who sends tokens to experts.
#include "experiment/token_kernels.hpp"

#include <gtest/gtest.h>

#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

bool by_library(const std::string& rest) {
  return sends_by_library(read_experiment(
      resolve(experiment("model: {base: mixtral-8x7b, layers: 2}\ncluster: {node: dgx-h100}\n"
                         "batch: {global: 8, micro: 1, sequence: 2048}\nschedule: 1f1b\n" +
                         rest),
              config::Catalogue())));
}

TEST(TokenKernels, are_a_library_s_where_tokens_go_once_a_node_or_it_is_named) {
  EXPECT_TRUE(by_library("parallel: {expert: 8}\n"));
  EXPECT_TRUE(by_library(
      "parallel: {expert: 8}\ndispatch: {kernels: deepep-low-latency, send: each-copy}\n"));
  EXPECT_FALSE(by_library("parallel: {expert: 8}\ndispatch: each-copy\n"));
  EXPECT_FALSE(by_library("parallel: {expert: 8}\ndispatch: {kernels: nccl}\n"));
}

TEST(TokenKernels, are_nccl_s_where_heads_are_exchanged_too) {
  EXPECT_FALSE(by_library("parallel: {expert: 4, context: {degree: 2, exchange: ulysses}}\n"));
}

}  // namespace
}  // namespace pipewright::test
