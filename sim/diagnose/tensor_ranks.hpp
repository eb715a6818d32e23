// One rank of each tensor group stands for it: all of them do the same passes at once. Context
// ranks of one replica count as tensor ranks.
//
// They sum within each layer, so that a slow one lets the others wait within their passes. It is
// the one that stands for the group, as what it computes is what the others wait for.
#pragma once

#include <string>
#include <vector>

namespace pipewright::diagnose {

struct TensorRank {
  int data = 0, stage = 0, tensor = 0;
  double computing_s = 0;  ///< in all its passes
};

/// A member of a group that computes longer than the others of it.
struct SlowMember {
  int data = 0, stage = 0;
  std::string name;     ///< "tensor rank 1"
  double slowdown = 1;  ///< over the median of the others
};

/// The slow members of all groups. `context`: so many ranks of a group that follow one another are
/// context ranks.
std::vector<SlowMember> slow_members(const std::vector<TensorRank>& ranks, int context = 1);

/// By rank, whether it stands for its group: the one that computes longest, of alike ones the
/// first. Ranks of one number are not told apart, and stand together.
std::vector<bool> stand_for_groups(const std::vector<TensorRank>& ranks);

/// What to say of the groups: who stands for them, and which rank is slower than the others of its
/// own. Empty: there are no groups.
std::vector<std::string> notes_on_groups(const std::vector<TensorRank>& ranks, int context = 1);

}  // namespace pipewright::diagnose
