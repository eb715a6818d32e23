// A correction known at some places, guessed at another: kriging.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace pipewright {

/// A shape by coordinates in which like shapes are near one another.
using Place = std::array<double, 10>;

/// How alike the corrections of two places are.
struct Likeness {
  /// One cause that makes them alike.
  struct Part {
    double share;  ///< of the variance; the shares of all parts add up to 1
    Place fading;  ///< for each coordinate what a difference of 1 takes away, in powers of e
  };
  std::vector<Part> parts;
  double noise;    ///< variance of one measurement's own, of that of the corrections
  double knee;     ///< a measurement that the others miss by more counts for less
  Place nearness;  ///< by which neighbours are chosen: the distance that a difference of 1 is
};

/// The covariance of corrections at two places, 1 where they are the same.
double covariance(const Likeness& likeness, const Place& a, const Place& b);
/// The sum of the coordinates' differences, each times its `scale`.
double distance(const Place& scale, const Place& a, const Place& b);

struct Carried {
  double value = 0;    ///< 0 far from all points
  double unknown = 1;  ///< share of the variance that the points leave open: 0 at one, 1 far away
};

/// The correction at `at`, from `known` ones at `places`, as many.
Carried carry(const Likeness& likeness, const Place& at, std::span<const Place> places,
              std::span<const double> known);

}  // namespace pipewright
