// The options of schedules that cut sequences into token slices.
#pragma once

#include "schedule/schedule.hpp"
#include "schedule/token_cuts.hpp"

namespace pipewright::schedule {

constexpr int most_slices = 4096;

struct Slicing {
  int count = 1;
  std::vector<int> tokens;  ///< empty where they are all alike
};

/// The method by which slices are cut when the user gives only their number, or nothing.
enum class Cutting : uint8_t {
  equal_tokens,
  equal_cost,  // where the model's costs are known; else equal tokens
};

/// `slices`: a number, a list of token lengths, or `auto` (TeraPipe's fastest cuts);
/// `granularity`: where cuts by cost may be, in tokens.
class SliceOptions {
 public:
  SliceOptions(const Shape& shape, const config::Fields& fields);
  /// Reads what the user asked for; `otherwise` slices where `slices` is missing.
  Slicing read(int otherwise, Cutting cutting) const;
  /// Throws Misfit where the model's costs are not known.
  Slicing fastest() const;
  bool costs_are_known() const { return cost_ != nullptr; }

 private:
  Slicing of_count(int count, Cutting cutting) const;
  Slicing of_list(const config::Value& list) const;
  Sequence sequence() const;

  const Shape& shape_;
  const config::Fields& fields_;
  SliceCost cost_;
};

}  // namespace pipewright::schedule
