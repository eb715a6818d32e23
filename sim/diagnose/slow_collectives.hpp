// Collectives of the data ranks of one stage that take longer than those of other stages, or of one
// tensor rank than those of the others.
//
// They stand behind the passes of a step or before them. Or they stand within passes, which gather
// weights and sum gradients layer by layer: there counts what passes wait for bytes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "diagnose/lockstep.hpp"
#include "diagnose/slow_parts.hpp"

namespace pipewright::diagnose {

class SlowCollectives {
 public:
  explicit SlowCollectives(const Evidence& evidence) : evidence_(evidence) {}

  void add(const TracedOperation& one, OpId body);
  /// Adds what passes wait for bytes within them.
  void add(const Lockstep& lockstep);
  std::vector<Candidate> finish() &&;

 private:
  struct Stage {
    double own_s = 0, usual_s = 0;
    double seen_s = 0;  ///< of those that other stages do not hide
    SlowPart part;

    void note(double own, double usual);
  };

  SlowPart slow_stages();

  const Evidence& evidence_;
  std::map<std::string, SlowPart> groups_;
  std::map<int, Stage> stages_;
  bool tensor_ranks_differ_ = false;
  SlowPart all_{.who = "data collectives"};
};

}  // namespace pipewright::diagnose
