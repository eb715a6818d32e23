// The circle method: with n even, ranks a and b below n - 1 meet in the round (a + b) mod (n - 1);
// the one with 2 a = round meets the last rank. A rank too many makes an odd number even: who meets
// it rests. Source: E. Lucas, Recreations mathematiques (1883), the walk of the schoolgirls.
#include "calibrate/measure/rounds.hpp"

namespace pipewright::calibration {
namespace {

int even(int ranks) { return ranks + ranks % 2; }

}  // namespace

int rounds_of(int ranks) { return ranks < 2 ? 0 : even(ranks) - 1; }

std::optional<int> partner(int rank, int round, int ranks) {
  const int cycle = even(ranks) - 1, last = cycle;
  int other = 0;
  if (rank == last) {
    // Half of the round, in a cycle of odd length.
    other = round % 2 == 0 ? round / 2 : (round + cycle) / 2;
  } else {
    other = (round - rank + cycle) % cycle;
    if (other == rank) other = last;
  }
  if (other >= ranks) return std::nullopt;
  return other;
}

}  // namespace pipewright::calibration
