// How tokens get to experts, by hand: b s = 256 tokens of h = 64 numbers in 16 bits, 2 of 8 experts
// each, over 4 groups of devices.
#include <gtest/gtest.h>

#include <tuple>

#include "kernel_sums.hpp"
#include "transformers.hpp"

namespace pipewright::test::token_dispatch {
namespace {

using enum CollectiveKind;
using Moved = std::tuple<CollectiveKind, Axis, int64_t>;

constexpr int64_t tokens = 256, row = 64 * 2, counts = 4 * 8 * 4;

std::vector<Moved> moved(const Segments& segments) {
  std::vector<Moved> all;
  for (const CollectiveWork& work : collectives(segments))
    if (work.axis != Axis::tensor) all.emplace_back(work.kind, work.axis, work.bytes.count);
  return all;
}

Layer block(const WorkloadOptions& given, const std::string& more = "") {
  WorkloadOptions options = given;
  options.micro_batch = 2;
  options.sequence = 128;
  options.expert = 4;
  options.sequence_parallel = options.tensor > 1;
  return layers_of(transformer("{layers: 1, hidden: 64, heads: 4, vocabulary: 512, bias: false, "
                               "experts: {count: 8, active: 2, ffn: 96" +
                               more + "}}"),
                   options)[1];
}

TEST(TokenDispatch, whole_experts_get_two_copies_of_every_token_and_send_them_back) {
  const Moved exchange{all_to_all, Axis::expert, 2 * tokens * row};
  EXPECT_EQ(moved(block({}).forward),
            (std::vector{Moved{all_gather, Axis::expert, counts}, exchange, exchange}));
}

// NCCL takes the router's weights, four bytes a row, by an exchange of their own, there and back.
TEST(TokenDispatch, weights_of_the_router_go_by_themselves_where_nccl_sends) {
  const Layer sent = block({.rows = {.by_all_to_all = true}});
  const Moved exchange{all_to_all, Axis::expert, 2 * tokens * row};
  const Moved weights{all_to_all, Axis::expert, 2 * tokens * 4};
  EXPECT_EQ(moved(sent.forward),
            (std::vector{Moved{all_gather, Axis::expert, counts}, exchange, weights, exchange}));
  EXPECT_EQ(moved(sent.input_gradient), (std::vector{exchange, weights, exchange}));
}

// Two copies of every token go to where rows are filled up, and their results come back from there.
TEST(TokenDispatch, rows_are_copied_to_where_they_are_filled_up_and_back) {
  const Layer plain = block({}), filled = block({.rows = {.filled = true}});
  EXPECT_EQ(
      read_bytes(filled.forward, Kernel::permute) - read_bytes(plain.forward, Kernel::permute),
      2 * 2 * tokens * row);
  EXPECT_EQ(read_bytes(filled.input_gradient, Kernel::permute) -
                read_bytes(plain.input_gradient, Kernel::permute),
            2 * 2 * tokens * row);
}

// Each of two tensor ranks exchanges its half of the tokens. Then both work on all of these rows.
TEST(TokenDispatch, devices_that_cut_experts_gather_what_they_got) {
  const Layer cut = block({.tensor = 2, .expert_tensor = 2});
  const Moved exchange{all_to_all, Axis::expert, tokens * row};
  const Moved gather{all_gather, Axis::expert_tensor, 2 * tokens * row};
  const Moved scatter{reduce_scatter, Axis::expert_tensor, 2 * tokens * row};
  EXPECT_EQ(moved(cut.forward), (std::vector{Moved{all_gather, Axis::expert, counts}, exchange,
                                             gather, scatter, exchange}));
  EXPECT_EQ(moved(cut.input_gradient), (std::vector{exchange, gather, scatter, exchange}));
}

// Of 8 experts a mark of a byte and a weight of 4 for every token go before. Then all tokens of 4
// times 2 devices, each of which has half of the 256.
TEST(TokenDispatch, all_devices_of_a_block_gather_all_tokens_where_that_is_asked) {
  const Layer gathered = block({.tensor = 2, .expert_tensor = 2, .gathers_tokens = true});
  const Moved chosen{all_gather, Axis::expert_block, 8 * (tokens / 2) * 8 * 5};
  const Moved gather{all_gather, Axis::expert_block, 8 * (tokens / 2) * row};
  const Moved scatter{reduce_scatter, Axis::expert_block, 8 * (tokens / 2) * row};
  EXPECT_EQ(moved(gathered.forward), (std::vector{chosen, gather, scatter}));
  EXPECT_EQ(moved(gathered.input_gradient), (std::vector{gather, scatter}));
}

// A device has two of eight experts. A token misses both with 6/8 x 5/7 = 15/28, so that it comes
// once to each of 4 devices with 13/28: 256 tokens of 4 devices bring 256 x 4 x 13 / 28 rows. One
// kernel copies them to 512, and one sums 512 to them. None moves rows before they are sent.
TEST(TokenDispatch, where_a_token_comes_once_one_kernel_moves_it_each_way) {
  const Layer once = block({.rows = {.library = TokenLibrary::deepep}});
  const int64_t come = tokens * row * 4 * 13 / 28, copies = 2 * tokens * row;
  for (const Segments& pass : {once.forward, once.input_gradient}) {
    EXPECT_NEAR(read_bytes(pass, Kernel::permute), come + copies, 2);
    EXPECT_NEAR(written_bytes(pass, Kernel::permute), come + copies, 2);
  }
}

TEST(TokenDispatch, where_a_token_comes_once_products_and_exchanges_are_the_same) {
  const Layer copies = block({}), once = block({.rows = {.library = TokenLibrary::deepep}});
  EXPECT_EQ(moved(once.forward), moved(copies.forward));
  EXPECT_EQ(moved(once.input_gradient), moved(copies.input_gradient));
  EXPECT_DOUBLE_EQ(flops(once.forward), flops(copies.forward));
  EXPECT_EQ(once.stash, copies.stash);
}

// In place of 4 bytes for each of 8 experts, a byte for each of them and each token.
TEST(TokenDispatch, hybridep_gathers_who_chooses_whom) {
  const Layer sent = block({.rows = {.library = TokenLibrary::hybridep}});
  EXPECT_EQ(moved(sent.forward).front(), (Moved{all_gather, Axis::expert, 4 * tokens * 8}));
}

int telling(const Segments& segments) {
  int count = 0;
  for (const CollectiveWork& work : collectives(segments)) count += work.tells_host;
  return count;
}

// Beside a capacity nobody asks how many rows will come, and backward passes know it.
TEST(TokenDispatch, hosts_wait_for_counts_in_forward_passes_without_a_capacity) {
  for (const bool gathers : {false, true}) {
    const Layer open = block({.gathers_tokens = gathers});
    EXPECT_EQ(telling(open.forward), 1) << gathers;
    EXPECT_EQ(telling(open.input_gradient), 0) << gathers;
    EXPECT_EQ(telling(block({.gathers_tokens = gathers}, ", capacity: 1.5").forward), 0) << gathers;
  }
}

TEST(TokenDispatch, the_way_of_tokens_changes_no_product) {
  const double sent = flops(block({}).forward);
  EXPECT_DOUBLE_EQ(flops(block({.gathers_tokens = true}).forward), sent);
}

}  // namespace
}  // namespace pipewright::test::token_dispatch
