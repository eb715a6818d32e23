#include "diagnose/exchange_ways.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

using diagnose::ExchangeWay;
using diagnose::ExpertExchange;

std::vector<ExchangeWay> told(std::vector<std::pair<int64_t, int64_t>> bytes) {
  std::vector<ExpertExchange> exchanges;
  for (const auto& [sent, received] : bytes)
    exchanges.push_back({.sent = sent, .received = received});
  diagnose::tell_ways(exchanges);
  std::vector<ExchangeWay> ways;
  for (const ExpertExchange& one : exchanges) ways.push_back(one.way);
  return ways;
}

constexpr ExchangeWay to = ExchangeWay::to_experts, back = ExchangeWay::back;

TEST(ExchangeWays, names_of_kernels_and_collectives_say_them) {
  EXPECT_EQ(diagnose::exchange_way("void deep_ep::internode::dispatch<false, 8, true>(int4*)"), to);
  EXPECT_EQ(diagnose::exchange_way("deep_ep::intranode::combine<__nv_bfloat16, 8, 768>"), back);
  EXPECT_EQ(diagnose::exchange_way("deep_ep::intranode::cached_notify_combine<8>"),
            ExchangeWay::announcement);
  EXPECT_EQ(diagnose::exchange_way("_reduce_scatter_base"), back);
  EXPECT_EQ(diagnose::exchange_way("all_to_allv"), ExchangeWay::unknown);
  EXPECT_EQ(diagnose::exchange_way("allreduce"), ExchangeWay::none);
}

// Tokens and their weights to the experts, tokens back; and so the next layer.
TEST(ExchangeWays, an_exchange_that_answers_another_brings_back) {
  EXPECT_EQ(told({{64, 32}, {4, 2}, {32, 64}, {64, 80}, {4, 5}, {80, 64}}),
            (std::vector{to, to, back, to, to, back}));
}

// Of experts that are alike every exchange is as large.
TEST(ExchangeWays, equal_exchanges_answer_each_other) {
  EXPECT_EQ(told({{64, 64}, {4, 4}, {64, 64}, {64, 64}, {64, 64}}),
            (std::vector{to, to, back, to, back}));
}

TEST(ExchangeWays, without_bytes_every_second_brings_back) {
  EXPECT_EQ(told({{0, 0}, {0, 0}, {0, 0}, {0, 0}}), (std::vector{to, back, to, back}));
}

TEST(ExchangeWays, kernels_of_deep_ep_have_the_number_of_their_ranks) {
  EXPECT_EQ(diagnose::deep_ep_ranks("void dpsk::ep::internode::combine<false, 8, __nv_bfloat16>"),
            64);
  EXPECT_EQ(diagnose::deep_ep_ranks("deep_ep::internode::dispatch<(bool)0, (int)2, (bool)1>()"),
            16);
  EXPECT_EQ(diagnose::deep_ep_ranks("deep_ep::intranode::dispatch<4, 768>()"), 4);
  for (const char* other : {"", "gemm<8>", "ep::internode::dispatch", "ep::internode::dispatch<8>",
                            "ep::intranode::dispatch<-3, 2>"})
    EXPECT_EQ(diagnose::deep_ep_ranks(other), 0) << other;
}

}  // namespace
}  // namespace pipewright::test
