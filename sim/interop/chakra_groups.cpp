#include "interop/chakra_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.hpp"
#include "base/input.hpp"
#include "base/json.hpp"

namespace pipewright::chakra {
namespace {

using nlohmann::json;

/// Returns the list in PyTorch's description; empty where it is nothing of the kind.
json described_groups(const std::string& inputs) {
  const bool printed_by_python = inputs.starts_with("['") && inputs.ends_with("']");
  const std::string_view text =
      printed_by_python ? std::string_view(inputs).substr(2, inputs.size() - 4) : inputs;
  json list = parse_json(text);
  if (list.is_array() && list.size() == 1 && list[0].is_string())
    list = parse_json(list[0].get<std::string>());
  return list.is_array() ? list : json::array();
}

bool is_group(const json& group) {
  return group.is_object() && group.contains("pg_name") && group["pg_name"].is_string() &&
         group.contains("ranks") && group["ranks"].is_array();
}

Members read_members(const std::string& group, const json& list, size_t ranks,
                     const Groups::Refuse& refuse) {
  Members members;
  for (const json& rank : list) {
    if (!rank.is_number_unsigned() || rank.get<uint64_t>() >= ranks) {
      refuse(fmt::format("has {} in process group '{}', which is no rank from 0 to {}",
                         dump_json(rank), group, ranks - 1));
    }
    members.push_back(rank.get<uint32_t>());
  }
  Members sorted = members;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    refuse(fmt::format("has a rank twice in process group '{}'", group));
  return members;
}

}  // namespace

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError({path, 0, 0}, "cannot be read");
  return read_all(file, fmt::format("file '{}'", path), {});
}

std::string groups_file_name(const std::string& prefix) { return prefix + ".json"; }

Groups::Groups(uint32_t ranks) {
  for (uint32_t rank = 0; rank < ranks; ++rank) everybody_.push_back(rank);
}

const Members* Groups::members(const std::string& group) const {
  if (group.empty()) return &everybody_;
  const auto found = groups_.find(group);
  return found == groups_.end() ? nullptr : &found->second;
}

void Groups::describe(const std::string& inputs, const Refuse& refuse) {
  for (const json& group : described_groups(inputs)) {
    if (!is_group(group)) continue;
    const auto name = group["pg_name"].get<std::string>();
    Members members = read_members(name, group["ranks"], everybody_.size(), refuse);
    if (members.empty()) members = everybody_;  // PyTorch's way of saying all
    if (groups_.try_emplace(name, members).first->second != members)
      refuse(fmt::format("gives process group '{}' other ranks than were given before", name));
  }
}

void Groups::read_file(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return;
  const Refuse refuse = [&](const std::string& what) { throw InputError({file, 0, 0}, what); };
  const json groups = parse_json(contents_of(file));
  if (!groups.is_object())
    refuse("must be a map in JSON from the names of process groups to lists of ranks");
  for (const auto& [name, list] : groups.items()) {
    if (!list.is_array() || list.empty())
      refuse(fmt::format("process group '{}' must be a list of ranks", name));
    groups_.try_emplace(name, read_members(name, list, everybody_.size(), refuse));
  }
}

}  // namespace pipewright::chakra
