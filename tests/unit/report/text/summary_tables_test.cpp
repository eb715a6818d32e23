#include "report/text/summary_tables.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(MemoryTable, of_many_ranks_the_fullest_are_shown) {
  RunResult result;
  for (int rank = 0; rank < 5; ++rank) {
    result.metrics.ranks.push_back({.rank = rank});
    result.metrics.ranks.back().memory.activations = Bytes{rank == 3 ? 900 : 100 + rank};
  }
  EXPECT_EQ(memory_table(result, 80, 2).text(),
            "  rank   peak  activations  in flight\n"
            "  3     900 B        900 B          0\n"
            "  4     104 B        104 B          0\n"
            "  and 3 ranks less full\n");
}

// Zero-bubble schedules hold some activations on to the weight gradient.
TEST(MemoryTable, counts_to_the_weight_gradient_where_that_differs) {
  RunResult result;
  result.metrics.ranks = {{.peak_in_flight = 4, .peak_in_flight_to_weight_gradient = 6}};
  EXPECT_EQ(memory_table(result, 80).text(),
            "  rank  peak  in flight  to W\n"
            "  0      0 B          4     6\n");
}

TEST(MemoryTable, columns_that_hold_least_are_one_where_there_is_no_room) {
  RunResult result;
  result.metrics.ranks = {{.rank = 0}};
  MemoryUse& memory = result.metrics.ranks.front().memory;
  memory = {.weights = Bytes{70}, .gradients = Bytes{20}, .optimizer = Bytes{400}};
  memory.activations = Bytes{5};
  EXPECT_EQ(memory_table(result, 51).text(),
            "  rank   peak  weights  optimizer  other  in flight\n"
            "  0     495 B     70 B      400 B   25 B          0\n");
}

TEST(CommunicationTable, is_empty_where_nothing_communicates) {
  EXPECT_EQ(communication_table(Metrics{}).text(), "");
}

}  // namespace
}  // namespace pipewright
