#include "interop/flight_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/packed_input.hpp"
#include "interop/plain_pickle.hpp"
#include "interop/torch_profile.hpp"
#include "interop/words.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::json;

constexpr size_t largest_dump = size_t{256} << 20;
constexpr int64_t most_message = int64_t{1} << 50;
constexpr std::string_view rank_digits = "0123456789";

std::string dump_text(const std::string& file) {
  PackedInput input(file);
  std::string all;
  std::array<char, 1 << 16> part{};
  while (const size_t count = input.read(part)) {
    all.append(part.data(), count);
    if (all.size() > largest_dump) throw InputError({file, 0, 0}, "is larger than 256 MiB");
  }
  return all;
}

std::string without_ending(std::string name) {
  for (const std::string_view end : {".gz", ".json", ".pickle", ".pkl"})
    if (name.ends_with(end)) name.resize(name.size() - end.size());
  return name;
}

/// "nccl_trace_rank_3.json" is of rank 3.
int rank_in(const std::string& file) {
  const std::string name = without_ending(std::filesystem::path(file).filename().string());
  const size_t last = name.find_last_not_of(rank_digits);
  return interop::number_of<int>(name.substr(last + 1)).value_or(-1);
}

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_null() ? std::string() : dump_json(value);
}

const Json& member(const Json& object, const char* key) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

int64_t whole(const Json& value) { return value.is_number_integer() ? value.get<int64_t>() : 0; }

/// A list "[0, 1]", or the same as a text.
std::string ranks_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::vector<int64_t> ranks;
  for (const Json& one : value) ranks.push_back(whole(one));
  return fmt::format("[{}]", fmt::join(ranks, ", "));
}

/// Of all tensors that go in.
int64_t bytes_of(const Json& entry) {
  const Json &sizes = member(entry, "input_sizes"), &types = member(entry, "input_dtypes");
  if (!sizes.is_array() || !types.is_array()) return 0;
  double sum = 0;
  for (size_t i = 0; i < std::min(sizes.size(), types.size()); ++i) {
    auto bytes = static_cast<double>(bytes_of_torch_type(text_of(types[i])));
    for (const Json& dimension : sizes[i]) bytes *= static_cast<double>(whole(dimension));
    sum += bytes;
  }
  return static_cast<int64_t>(std::clamp(sum, 0.0, static_cast<double>(most_message)));
}

class Dump {
 public:
  explicit Dump(const std::string& file) { record_.file = file; }

  FlightRecord run() {
    const std::string text = dump_text(record_.file);
    const Json document =
        is_pickle(text) ? read_plain_pickle(text, record_.file) : parse_json(text);
    const Json& groups = member(document, "pg_config");
    if (!groups.is_object())
      throw InputError({record_.file, 0, 0},
                       "is no dump of PyTorch's flight recorder: it has no 'pg_config'");
    record_.rank = rank_in(record_.file);
    for (const auto& [name, group] : groups.items()) add_group(name, group);
    for (const Json& entry : member(document, "entries")) add(entry);
    return std::move(record_);
  }

 private:
  void add_group(const std::string& name, const Json& group) {
    ProfiledCollective& made = record_.groups[name];
    made = {.group = name,
            .description = text_of(member(group, "desc")),
            .ranks = ranks_of(member(group, "ranks"))};
    made.size = static_cast<int32_t>(
        std::min<size_t>(interop::split(made.ranks, "[], ", false).size(), INT32_MAX));
  }

  void add(const Json& entry) {
    const Json& group = member(entry, "process_group");
    const std::string name = text_of(group.is_array() && !group.empty() ? group[0] : group);
    const std::array<int64_t, 3> launch = {whole(member(entry, "pg_id")),
                                           whole(member(entry, "collective_seq_id")),
                                           whole(member(entry, "p2p_seq_id"))};
    const int64_t bytes = bytes_of(entry);
    if (!record_.launches.empty() && launch == last_) {
      int64_t& all = record_.launches.back().bytes;
      all = std::min(all + bytes, most_message);
      return;
    }
    last_ = launch;
    const auto known = record_.groups.find(name);
    ProfiledCollective one =
        known == record_.groups.end() ? ProfiledCollective{.group = name} : known->second;
    if (one.description.empty() && group.is_array() && group.size() > 1)
      one.description = text_of(group[1]);
    one.name = text_of(member(entry, "profiling_name"));
    if (one.name.starts_with("nccl:")) one.name.erase(0, 5);
    one.name = one.name.substr(0, one.name.find(' '));  // "send 0->1"
    one.bytes = bytes;
    record_.launches.push_back(std::move(one));
  }

  FlightRecord record_;
  std::array<int64_t, 3> last_{};
};

/// The files of a folder that may be dumps.
std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (const std::string file = entry.path().string();
        entry.is_regular_file() && (rank_in(file) >= 0 || file.ends_with(".json")))
      files.push_back(file);
  if (files.empty())
    throw InputError({folder, 0, 0},
                     "no file of this folder has a name as dumps have: nccl_trace_rank_0");
  std::ranges::sort(files);
  return files;
}

}  // namespace

FlightRecord read_flight_record(const std::string& file) { return Dump(file).run(); }

std::vector<FlightRecord> read_flight_records(const std::vector<std::string>& named) {
  std::vector<FlightRecord> records;
  const auto add = [&](const std::string& file) {
    FlightRecord record = read_flight_record(file);
    for (const FlightRecord& other : records)
      if (record.rank >= 0 && record.rank == other.rank)
        throw InputError({file, 0, 0},
                         fmt::format("is of rank {}, as '{}' is", record.rank, other.file));
    records.push_back(std::move(record));
  };
  for (const std::string& name : named) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(name, ignored)) {
      add(name);
      continue;
    }
    for (const std::string& file : files_of(name)) add(file);
  }
  return records;
}

}  // namespace pipewright
