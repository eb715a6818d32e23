// Fits measured kernel times with the families of a profile, and reports the error on points held
// out.
#pragma once

#include "cost/profile.hpp"

namespace pipewright::fit {

/// Fits the constants to all points of `table`. The stated errors come from fits that did not see a
/// random tenth of the points (a fifth, where they are few) and, apart from that, a random tenth of
/// the table's rows.
GemmProfile fit_gemm(const PointTable& table, const Device& device);
AttentionProfile fit_attention(const PointTable& table, const Device& device);

/// A point that a fit had not seen.
struct Guess {
  Sample sample;
  double seconds = 0;  ///< predicted
};
/// Products that the first of fit_gemm's errors is of.
std::vector<Guess> unseen_products(const PointTable& table, const Device& device);

/// The constants alone.
GemmConstants gemm_constants(const PointTable& table, const Device& device);
AttentionConstants attention_constants(const PointTable& table, const Device& device);

}  // namespace pipewright::fit
