#include "diagnose/rank_places.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

using diagnose::RankSigns;

std::vector<RankSigns> with_messages(const std::vector<size_t>& messages) {
  std::vector<RankSigns> ranks;
  for (const size_t count : messages) ranks.push_back({count, {}, seconds(1)});
  return ranks;
}

TEST(RankPlaces, ends_of_a_pipeline_have_half_the_messages) {
  const auto places = diagnose::places_by_messages(with_messages({8, 8, 16, 15, 16, 16, 8, 8}));
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(places[static_cast<size_t>(i)].stage, i / 2);
    EXPECT_EQ(places[static_cast<size_t>(i)].data, i % 2);
  }
}

TEST(RankPlaces, of_two_stages_the_second_begins_later) {
  std::vector<RankSigns> ranks = with_messages({8, 8, 8, 8});
  EXPECT_EQ(diagnose::places_by_messages(ranks)[3].stage, 0);
  for (size_t i : {2, 3}) ranks[i].begin = seconds(1);
  EXPECT_EQ(diagnose::places_by_messages(ranks)[3].stage, 1);
  EXPECT_EQ(diagnose::places_by_messages(ranks)[3].data, 1);
}

TEST(RankPlaces, what_is_no_pipeline_is_one_stage) {
  for (const auto& messages : std::vector<std::vector<size_t>>{
           {0, 0, 0}, {5}, {8, 16, 8, 16}, {8, 16, 16}, {0, 8, 8, 0}, {8, 8, 16, 8, 8}}) {
    const auto places = diagnose::places_by_messages(with_messages(messages));
    for (size_t i = 0; i < places.size(); ++i) {
      EXPECT_EQ(places[i].stage, 0);
      EXPECT_EQ(places[i].data, static_cast<int>(i));
    }
  }
}

}  // namespace
}  // namespace pipewright::test
