#include "search/pairing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "in_order.hpp"

namespace pipewright::search {
namespace {

std::vector<uint32_t> random_grades(std::mt19937& random, size_t members, uint32_t most) {
  std::vector<uint32_t> grades(members * members);
  for (uint32_t& grade : grades) grade = static_cast<uint32_t>(random()) % (most + 1);
  return grades;
}

uint32_t largest(const std::vector<uint32_t>& grades, const std::vector<int>& partners) {
  uint32_t most = 0;
  for (size_t i = 0; i < partners.size(); ++i)
    most = std::max(most, grades[i * partners.size() + static_cast<size_t>(partners[i])]);
  return most;
}

uint32_t least_grade_by_trying(const std::vector<uint32_t>& grades, size_t members) {
  std::vector<int> partners = in_order(members);
  uint32_t least = UINT32_MAX;
  do {
    least = std::min(least, largest(grades, partners));
  } while (std::ranges::next_permutation(partners).found);
  return least;
}

TEST(Pairing, equals_trying_every_one_whatever_the_guess) {
  std::mt19937 random(3);
  Pairing pairing;
  for (int n = 0; n < 200; ++n) {
    const size_t members = 1 + random() % 6;
    const std::vector<uint32_t> grades = random_grades(random, members, n % 20);
    const uint32_t least = least_grade_by_trying(grades, members);
    for (const uint32_t guess : {0U, 1U, 7U, 19U, 1000U})
      EXPECT_EQ(pairing.bottleneck(grades, members, guess), least);
    std::vector<int> partners = pairing.partners(grades, members);
    EXPECT_EQ(largest(grades, partners), least);
    std::ranges::sort(partners);
    EXPECT_EQ(partners, in_order(members));
  }
}

// More members than a word has bits. Each has one partner whom it likes, and the others all alike.
TEST(Pairing, finds_the_one_way_that_pleases_all) {
  constexpr size_t members = 150;
  std::vector<int> liked = in_order(members);
  std::mt19937 random(4);
  std::ranges::shuffle(liked, random);
  std::vector<uint32_t> grades(members * members, 9);
  for (size_t i = 0; i < members; ++i) grades[i * members + static_cast<size_t>(liked[i])] = 2;
  Pairing pairing;
  EXPECT_EQ(pairing.partners(grades, members), liked);
  grades[7 * members + static_cast<size_t>(liked[7])] = 9;
  EXPECT_EQ(pairing.bottleneck(grades, members, 2), 9U);
}

TEST(Pairing, of_places_that_are_alike_takes_the_same) {
  Pairing pairing;
  EXPECT_EQ(pairing.partners(std::vector<uint32_t>(81, 5), 9), in_order(9));
}

}  // namespace
}  // namespace pipewright::search
