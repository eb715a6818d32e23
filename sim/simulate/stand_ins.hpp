// Sound values in the place of a model, a cluster or a schedule that an experiment lacks or that
// cannot be read, so that the mistakes in its other keys are found too.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "config/catalogue.hpp"
#include "config/value.hpp"

namespace pipewright {

class StandIns {
 public:
  /// Gives `experiment` those keys that it lacks, every experiment of its kind needs, and `missed`
  /// holds for. Returns whether there are any.
  bool fill(config::Value& experiment, const std::function<bool(std::string_view)>& missed);

  bool any() const { return !keys_.empty(); }

  /// Reads the options, the cluster and the schedule of `document`, each by itself. What must fit
  /// each other is not looked at. Throws InputError for the first mistake, or for what is lacking.
  void read_beside(const config::Value& document, const config::Catalogue& catalogue) const;

 private:
  bool gives(std::string_view key) const;

  std::vector<std::string_view> keys_;  ///< whose values stand in
};

}  // namespace pipewright
