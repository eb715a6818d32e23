// One rank of each tensor group stands for it: all of them do the same passes at once. Context
// ranks of one replica count as tensor ranks.
//
// They sum within each layer, so that a slow one lets the others wait within their passes. It is
// the one that stands for the group, as what it computes is what the others wait for. Of alike ones
// some begin a pass earlier, because their input came earlier, and wait in it for the last: that
// one has the shortest passes, and stands for the group.
#pragma once

#include <string>
#include <vector>

namespace pipewright::diagnose {

struct TensorRank {
  int data = 0, stage = 0, tensor = 0;
  double computing_s = 0;  ///< in all its passes
  double updating_s = 0;   ///< in all its updates; 0: not known
  double passing_s = 0;    ///< from the beginnings of its passes to their ends; 0: not known
};

/// A member of a group that computes longer than the others of it.
struct SlowMember {
  int data = 0, stage = 0;
  std::string name;     ///< "tensor rank 1"
  double slowdown = 1;  ///< of its passes, over the median of the others
  double of_updates = 1;
};

/// The slow members of all groups. `context`: so many ranks of a group that follow one another are
/// context ranks.
std::vector<SlowMember> slow_members(const std::vector<TensorRank>& ranks, int context = 1);

/// By rank, whether it stands for its group: the one that computes longest, of alike ones that of
/// the shortest passes, else the first. Ranks of one number are not told apart, and stand together.
std::vector<bool> stand_for_groups(const std::vector<TensorRank>& ranks);

/// What to say of the groups: who stands for them, and which rank is slower than the others of its
/// own. Empty: there are no groups.
std::vector<std::string> notes_on_groups(const std::vector<TensorRank>& ranks, int context = 1);

}  // namespace pipewright::diagnose
