// A correction known at some places, guessed at another: kriging.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace pipewright {

/// A shape by coordinates in which like shapes are near one another.
using Place = std::array<float, 10>;

/// The likeness of the corrections of two places.
struct Likeness {
  /// One cause that makes them alike.
  struct Part {
    float share;   ///< of the variance; the shares of all parts add up to 1
    Place fading;  ///< for each coordinate what a difference of 1 takes away, in powers of e
  };
  std::vector<Part> parts;
  float noise;     ///< variance of one measurement's own, of that of the corrections
  float knee;      ///< a measurement that the others miss by more counts for less
  Place nearness;  ///< by which neighbours are looked for: the distance that a difference of 1 is
  size_t neighbours = 48;  ///< from which one is guessed
};

/// The covariances of the correction at `at` with those at `places`, 1 where they are the same.
std::vector<float> covariances(const Likeness& likeness, const Place& at,
                               std::span<const Place> places);

struct Carried {
  double value = 0;    ///< 0 far from all points
  double unknown = 1;  ///< share of the variance that the points leave open: 0 at one, 1 far away
};

/// The correction at `at`, from `known` ones at `places`, as many.
Carried carry(const Likeness& likeness, const Place& at, std::span<const Place> places,
              std::span<const float> known);

}  // namespace pipewright
