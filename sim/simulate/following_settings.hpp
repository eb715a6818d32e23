// What follows from settings of an experiment where nobody says it.
//
// A resolved experiment says all of it: its kernels, its loss, over how many replicas weights are
// cut, whether gradients are summed beside passes. With another stage of ZeRO or other degrees some
// of that is another.
#pragma once

#include <string>
#include <vector>

#include "config/value.hpp"

namespace pipewright {

namespace config {
class Catalogue;
}

class FollowingSettings {
 public:
  /// Both must outlive it.
  FollowingSettings(const config::Value& document, const config::Catalogue& catalogue);

  /// Returns what to set besides `settings` so that the experiment runs as if it did not say what
  /// follows anyway. What it says and what does not follow stays.
  std::vector<std::string> of(const std::vector<std::string>& settings) const;

 private:
  const config::Value& document_;
  const config::Catalogue& catalogue_;
  config::Value open_;  ///< without what follows
};

}  // namespace pipewright
