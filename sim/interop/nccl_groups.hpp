// Who takes part in NCCL's communicators, told by the calls that made them.
//
// A communicator that is made says how many ranks it has and which of them made it. Processes that
// nobody numbers are numbered by their places in the largest communicator, which PyTorch makes of
// all ranks: if it tells all of them apart.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "interop/nccl_calls.hpp"
#include "interop/nvtx_payloads.hpp"
#include "interop/rank_profile.hpp"

namespace pipewright::interop {

class NcclGroups {
 public:
  /// A range of `process`. What makes no communicator is nothing.
  void add(int64_t process, const NcclPayload& made);
  /// The ranks of processes: `known`, else by the largest communicator of several, if it has all of
  /// `processes`.
  void number(std::map<int64_t, int> known, const std::vector<int64_t>& processes);

  /// -1: nobody knows.
  int rank_of(int64_t process) const;
  /// The ranks of the largest communicator; -1: there is none.
  int world() const;
  /// The ranks of a communicator are named where all of them are known.
  ProfiledCollective collective_of(const NcclLaunch& launch) const;

 private:
  struct Group {
    int ranks = 0;
    std::map<int, int64_t> process;  ///< by place
  };
  const Group* largest() const;
  std::string ranks_of(const Group& group) const;

  std::map<uint64_t, Group> groups_;
  std::map<int64_t, int> numbers_;  ///< by process
};

}  // namespace pipewright::interop
