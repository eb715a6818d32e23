#include "diagnose/profile_files.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "base/packed_input.hpp"
#include "interop/nsys_profile.hpp"
#include "interop/run_trace.hpp"
#include "interop/torch_profile.hpp"

namespace pipewright::diagnose {
namespace {

std::string head_of(const std::string& file) {
  PackedInput input(file);
  std::array<char, 256> head{};
  return {head.data(), input.read(head)};
}

bool is_database(std::string_view head) { return head.starts_with("SQLite format 3"); }

/// Tells whether a packed file ends, or breaks, before its contents begin.
bool has_no_head(const std::string& file) {
  if (!file.ends_with(".gz")) return false;
  try {
    head_of(file);
  } catch (const InputError&) {
    return true;
  }
  return false;
}

/// None where the file is no export that can be read: reading its ranks says why.
std::vector<NsysProcess> processes_of(const std::string& file) {
  try {
    if (is_database(head_of(file))) return read_nsys_processes(file);
  } catch (const InputError&) {
  }
  return {};
}

}  // namespace

bool is_rank_profile(const std::string& file) {
  if (file.ends_with(".nsys-rep") || file.ends_with(".qdrep"))
    throw InputError({file, 0, 0},
                     "export this report first: nsys export --type sqlite, and diagnose that");
  if (has_no_head(file)) return true;  // reading it says what is wrong
  const std::string head = head_of(file);
  if (is_run_trace(file)) return false;
  const size_t first = head.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string::npos && (head[first] == '{' || head[first] == '[');
  return is_json || is_database(head);
}

std::vector<RankProfile> read_rank_profiles(const std::string& file,
                                            const std::vector<NsysProcess>& elsewhere) {
  if (is_database(head_of(file))) return read_nsys_profiles(file, elsewhere);
  std::vector<RankProfile> one;
  one.push_back(read_torch_profile(file));
  return one;
}

std::vector<std::vector<NsysProcess>> processes_elsewhere(const std::vector<std::string>& files) {
  std::vector<std::vector<NsysProcess>> elsewhere(files.size());
  if (files.size() == 1) return elsewhere;
  for (size_t i = 0; i < files.size(); ++i) {
    const std::vector<NsysProcess> processes = processes_of(files[i]);
    for (size_t other = 0; other < files.size(); ++other)
      if (other != i) std::ranges::copy(processes, std::back_inserter(elsewhere[other]));
  }
  return elsewhere;
}

std::set<int> ranks_in(const std::string& file) {
  std::set<int> ranks;
  if (!is_database(head_of(file)))
    if (const int rank = read_torch_rank(file); rank >= 0) return {rank};
  for (const RankProfile& profile : read_rank_profiles(file))
    if (profile.rank >= 0) ranks.insert(profile.rank);
  return ranks;
}

}  // namespace pipewright::diagnose
