// Quantities as distinct types, so that a byte count can never stand where a time is meant.
// Time is an integer number of picoseconds: a total order without epsilons. One byte at 900 GB/s
// takes 1.1 ps; the range is 106 days.
#pragma once

#include <compare>
#include <cstdint>

namespace pipewright {

/// A count in a formula.
constexpr double as_double(int64_t n) { return static_cast<double>(n); }

struct Time {
  int64_t ps = 0;
  constexpr auto operator<=>(const Time&) const = default;
  constexpr Time& operator+=(Time other) { return ps += other.ps, *this; }
  constexpr Time& operator-=(Time other) { return ps -= other.ps, *this; }
};
constexpr Time operator+(Time a, Time b) { return {a.ps + b.ps}; }
constexpr Time operator-(Time a, Time b) { return {a.ps - b.ps}; }
constexpr Time operator*(Time a, int64_t n) { return {a.ps * n}; }
constexpr Time operator*(int64_t n, Time a) { return {a.ps * n}; }

/// Longest time that fits; about 9.2 million seconds.
inline constexpr Time longest_time{INT64_MAX};

/// Rounds half up to whole picoseconds. Throws Failure when `s` does not fit in a Time.
Time seconds(double s);
constexpr Time picoseconds(int64_t n) { return {n}; }
constexpr Time nanoseconds(int64_t n) { return {n * 1'000}; }
constexpr Time microseconds(int64_t n) { return {n * 1'000'000}; }
constexpr Time milliseconds(int64_t n) { return {n * 1'000'000'000}; }
/// The nearest double: 10^12, unlike 10^-12, is one itself, so the quotient is rounded only once.
constexpr double in_seconds(Time t) { return static_cast<double>(t.ps) / 1e12; }

/// `t / parts`, rounded half up; parts > 0.
constexpr Time divide(Time t, int64_t parts) { return {(t.ps + parts / 2) / parts}; }

struct Bytes {
  int64_t count = 0;
  constexpr auto operator<=>(const Bytes&) const = default;
  constexpr Bytes& operator+=(Bytes other) { return count += other.count, *this; }
  constexpr Bytes& operator-=(Bytes other) { return count -= other.count, *this; }
};
constexpr Bytes operator+(Bytes a, Bytes b) { return {a.count + b.count}; }
constexpr Bytes operator-(Bytes a, Bytes b) { return {a.count - b.count}; }
constexpr Bytes operator*(Bytes a, int64_t n) { return {a.count * n}; }
constexpr Bytes operator*(int64_t n, Bytes a) { return {a.count * n}; }
inline constexpr Bytes KiB{1 << 10}, MiB{1 << 20}, GiB{1 << 30};

/// Bytes per second; infinite where a link is unbounded.
struct Bandwidth {
  double bytes_per_s = 0;
  constexpr auto operator<=>(const Bandwidth&) const = default;
};

/// Floating-point operations per second.
struct FlopRate {
  double flops_per_s = 0;
  constexpr auto operator<=>(const FlopRate&) const = default;
};

/// Time to move `bytes` at `rate`, rounded half up; zero at infinite bandwidth.
/// Throws Failure when it does not fit in a Time.
Time operator/(Bytes bytes, Bandwidth rate);

}  // namespace pipewright
