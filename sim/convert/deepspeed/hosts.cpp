// After deepspeed/launcher/runner.py: fetch_hostfile and parse_resource_filter. Hosts of different
// numbers of slots count with all of them; a node here then has as many as the largest.
#include "convert/deepspeed/hosts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interop/words.hpp"

namespace pipewright::deepspeed {
namespace {

constexpr int64_t most_slots = 1'048'576;

void add_host(job::World& world, int64_t slots, const Where& where) {
  const bool is_first = world.devices == 0;
  world.devices += slots;
  world.per_node = is_first ? slots : std::max(world.per_node, slots);
  if (slots > most_slots || world.devices > most_slots)
    throw InputError(where, "more than a million devices");
}

}  // namespace

job::World read_hostfile(std::string_view text, const std::string& file) {
  job::World world;
  for (int line = 1; !text.empty(); ++line) {
    const std::string_view whole = interop::take_line(text);
    const auto words = interop::words_of(whole.substr(0, whole.find('#')));
    if (words.empty()) continue;
    constexpr std::string_view key = "slots=";
    const auto slots = words.size() == 2 && words[1].starts_with(key)
                           ? interop::number_of<int64_t>(words[1].substr(key.size()))
                           : std::nullopt;
    if (!slots || *slots < 1)
      throw InputError({file, line, 1}, "a line of a hostfile is 'HOST slots=N'");
    add_host(world, *slots, {file, line, 1});
  }
  if (world.devices == 0) throw InputError({file, 1, 1}, "this hostfile has no hosts");
  return world;
}

job::World read_include(const job::Word& word, int64_t slots) {
  job::World world;
  for (const std::string_view host : interop::split(word.text, "@", false)) {
    const size_t colon = host.find(':');
    const int64_t count =
        colon == std::string_view::npos
            ? slots
            : static_cast<int64_t>(interop::split(host.substr(colon + 1), ",", false).size());
    if (count < 1) throw InputError(word.where, "--include needs HOST or HOST:0,1");
    add_host(world, count, word.where);
  }
  if (world.devices == 0) throw InputError(word.where, "--include needs HOST or HOST:0,1");
  return world;
}

}  // namespace pipewright::deepspeed
