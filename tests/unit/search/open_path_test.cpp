#include "search/open_path.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "in_order.hpp"

namespace pipewright::search {
namespace {

std::vector<int64_t> random_distances(std::mt19937& random, int points, int most) {
  std::vector<int64_t> distance(static_cast<size_t>(points * points));
  for (int a = 0; a < points; ++a)
    for (int b = 0; b < a; ++b)
      distance[static_cast<size_t>(a * points + b)] =
          distance[static_cast<size_t>(b * points + a)] = 1 + static_cast<int>(random() % most);
  return distance;
}

int64_t length(const std::vector<int64_t>& distance, const std::vector<int>& order) {
  int64_t sum = 0;
  for (size_t i = 1; i < order.size(); ++i)
    sum +=
        distance[static_cast<size_t>(order[i - 1]) * order.size() + static_cast<size_t>(order[i])];
  return sum;
}

TEST(OpenPath, equals_trying_every_order_of_few_points) {
  std::mt19937 random(1);
  for (int n = 0; n < 60; ++n) {
    const int points = 1 + static_cast<int>(random() % 7);
    const std::vector<int64_t> distance = random_distances(random, points, 1 + n);
    std::vector<int> order = in_order(points);
    int64_t least = INT64_MAX;
    do {
      least = std::min(least, length(distance, order));
    } while (std::ranges::next_permutation(order).found);
    const OpenPath path = shortest_path(distance, points);
    EXPECT_EQ(path.length, least);
    EXPECT_EQ(length(distance, path.order), least);
    EXPECT_LE(least_tree(distance, points), least);
  }
}

TEST(OpenPath, of_many_points_passes_each_and_is_as_long_as_it_says) {
  std::mt19937 random(2);
  for (const int points : {10, 17, 40}) {
    const std::vector<int64_t> distance = random_distances(random, points, 1000);
    OpenPath path = shortest_path(distance, points);
    EXPECT_EQ(length(distance, path.order), path.length);
    EXPECT_LE(least_tree(distance, points), path.length);
    std::ranges::sort(path.order);
    EXPECT_EQ(path.order, in_order(points));
  }
}

// Points on a line, in any order: the path goes from one end to the other, and so does the tree.
TEST(OpenPath, on_a_line_goes_from_end_to_end) {
  std::vector<int> place = in_order(30);
  std::mt19937 random(3);
  std::ranges::shuffle(place, random);
  std::vector<int64_t> distance;
  for (const int a : place)
    for (const int b : place) distance.push_back(5 * std::abs(a - b));
  EXPECT_EQ(shortest_path(distance, 30).length, 5 * 29);
  EXPECT_EQ(least_tree(distance, 30), 5 * 29);
}

TEST(OpenPath, of_points_equally_far_apart_is_their_own_order) {
  for (const int points : {1, 2, 5, 9, 10, 25})
    EXPECT_EQ(
        shortest_path(std::vector<int64_t>(static_cast<size_t>(points * points), 3), points).order,
        in_order(points));
}

}  // namespace
}  // namespace pipewright::search
