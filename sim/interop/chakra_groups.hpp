// The process groups of a Chakra trace, as its nodes or a file beside it describe them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace pipewright::chakra {

/// Ranks in the order of their group.
using Members = std::vector<uint32_t>;

/// Reads a whole file. Throws InputError where it cannot.
std::string contents_of(const std::string& path);

/// PREFIX.json: where ASTRA-sim's users keep the groups of a trace.
std::string groups_file_name(const std::string& prefix);

class Groups {
 public:
  /// Throws what is wrong where the list stands.
  using Refuse = std::function<void(const std::string& what)>;

  explicit Groups(uint32_t ranks);

  /// Returns the members of a group, all ranks of the group without a name; null where nothing
  /// describes it.
  const Members* members(const std::string& group) const;
  /// Notes what PyTorch's description of its process groups says: [{"pg_name": "0", "ranks": [0,
  /// 1]}, ...], itself a string in a list. Any other text says nothing.
  void describe(const std::string& inputs, const Refuse& refuse);
  /// Notes the groups of ASTRA-sim's file, where it is there and for those that are not known:
  /// {"GROUP": [RANK, ...], ...}. Throws InputError for what is wrong in it.
  void read_file(const std::string& file);

 private:
  Members everybody_;
  std::map<std::string, Members> groups_;
};

}  // namespace pipewright::chakra
