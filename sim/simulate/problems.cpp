// All problems of an experiment, not only the first: what a message complains about is taken out
// and the rest is read again.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "machine/run_options.hpp"
#include "peers/peers.hpp"
#include "run/prepare.hpp"
#include "simulate/stand_ins.hpp"
#include "simulate/taken_out.hpp"
#include "trace/trace.hpp"
#include "traffic/traffic.hpp"

namespace pipewright {
namespace {

using config::Entry;
using config::Value;

constexpr int most_problems = 50;

bool holds(const Value& value, const Where& where) {
  return stands_at(value.mark, where) ||
         std::any_of(value.items.begin(), value.items.end(),
                     [&](const Value& item) { return holds(item, where); }) ||
         std::any_of(value.entries.begin(), value.entries.end(), [&](const Entry& entry) {
           return stands_at(entry.mark, where) || holds(entry.value, where);
         });
}

/// Removes the innermost list item that holds what stands at `where`, unless its list were then
/// empty. False where there is none.
bool remove_item(Value& value, const Where& where) {
  for (Value& item : value.items)
    if (remove_item(item, where)) return true;
  for (Entry& entry : value.entries)
    if (remove_item(entry.value, where)) return true;
  if (value.items.size() < 2) return false;
  return std::erase_if(value.items, [&](const Value& item) { return holds(item, where); }) > 0;
}

/// Removes the map at `where`, which lacks a key, with all that leans on it: the list item or the
/// section that it lies in. False where it is the document itself.
bool remove_incomplete(Value& document, const Where& where) {
  if (stands_at(document.mark, where)) return false;
  if (remove_item(document, where)) return true;
  const auto lies_in = [&](const Entry& entry) { return holds(entry.value, where); };
  return std::erase_if(document.entries, lies_in) > 0;
}

/// Tells whether stages, or degrees, follow from each other there, so that without one of them the
/// others are wrong.
bool decides_others(const Value& document, const InputError& error) {
  const auto lies_in = [&](const char* key) {
    const Value* section = document.find(key);
    return section && holds(*section, error.where());
  };
  return lies_in("strategy") || (dynamic_cast<const Misfit*>(&error) && lies_in("parallel"));
}

/// Tells whether the map at `where` may lack a key only because it was taken out. The document
/// itself may not: it is not read again without what it needs.
bool lost_one(const Value& document, const Where& where, const std::vector<Removal>& removals) {
  return !stands_at(document.mark, where) && std::ranges::any_of(removals, [&](const Removal& one) {
    return stands_at(one.from, where);
  });
}

/// Tells whether the message asks for a key that was taken out of what stands there.
bool asks_for_removed(const InputError& error, const std::vector<Removal>& removals) {
  std::string_view message = error.what();
  message.remove_prefix(std::min(message.find("error: "), message.size()));  // the file's name
  return std::ranges::any_of(removals, [&](const Removal& one) {
    return !one.key.empty() && stands_at(one.from, error.where()) &&
           message.find(one.key) != std::string_view::npos;
  });
}

/// Returns the map whose key stands at `where`, or null.
const Value* map_with_key(const Value& value, const Where& where) {
  for (const Value& item : value.items)
    if (const Value* found = map_with_key(item, where)) return found;
  for (const Entry& entry : value.entries) {
    if (stands_at(entry.mark, where)) return &value;
    if (const Value* found = map_with_key(entry.value, where)) return found;
  }
  return nullptr;
}

bool names_unknown_key(const InputError& error) {
  return error.message().starts_with("unknown key '");
}

/// Tells whether a key is unknown only because another one was taken out of its map for its value,
/// such as 'nodes' where there is no 'node'. Keys are looked at before values.
bool is_orphan(const Value& document, const InputError& error,
               const std::vector<Removal>& removals) {
  const Value* map = names_unknown_key(error) ? map_with_key(document, error.where()) : nullptr;
  return map && std::ranges::any_of(removals, [&](const Removal& one) {
           return one.for_its_value && stands_at(one.from, map->mark.where());
         });
}

/// Tells whether the error is there only because of what was taken out.
bool follows_from(const std::vector<Removal>& removals, const Value& document,
                  const InputError& error) {
  const bool lacks_key = dynamic_cast<const MissingKey*>(&error);
  return (lacks_key && lost_one(document, error.where(), removals)) ||
         asks_for_removed(error, removals) || is_orphan(document, error, removals);
}

bool asks_for(const InputError& error, std::string_view key) {
  return error.message().find(fmt::format("the key '{}'", key)) != std::string::npos;
}

/// Tells whether what made `document` another kind of experiment was taken out of it.
bool lost_its_kind(const Value& rest, const Value& document) {
  return std::ranges::any_of(std::array{"trace", "traffic", "peers"}, [&](const char* key) {
    return document.find(key) && !rest.find(key);
  });
}

void try_all(const Experiment& experiment, const config::Catalogue& catalogue,
             const RunOptions& options) {
  if (experiment.peers) {
    run_peers_experiment(experiment, catalogue, options);
    return;
  }
  if (experiment.has_schedule()) {
    prepare(experiment, catalogue, options);
    return;
  }
  const Machine machine = read_machine(experiment, catalogue);
  if (experiment.trace)
    goal::check(read_trace_file(experiment, machine));
  else
    flows_of(experiment, machine, catalogue);
}

/// An experiment without what was complained about so far.
struct Rest {
  Value document;
  std::vector<Removal> removals;
  StandIns stand_ins;
};

/// Throws the first mistake that is left.
void read(const Rest& rest, const config::Catalogue& catalogue, const RunOptions& options) {
  if (rest.stand_ins.any())
    rest.stand_ins.read_beside(rest.document, catalogue);
  else
    try_all(read_experiment(resolve(rest.document, catalogue)), catalogue, options);
}

/// Takes out what `error` complains about, or puts sound values where it asks for some. Returns
/// whether the rest can be read again.
bool take_out(const InputError& error, const Value& document, Rest& rest) {
  const bool lacks_key = dynamic_cast<const MissingKey*>(&error);
  const bool removed = lacks_key ? remove_incomplete(rest.document, error.where())
                                 : remove_at(rest.document, error.where(), rest.removals);
  if (removed && !lacks_key) rest.removals.back().for_its_value = !names_unknown_key(error);
  if (lost_its_kind(rest.document, document)) return false;
  const auto missed = [&](std::string_view key) {
    return removed ? document.find(key) != nullptr : asks_for(error, key);
  };
  return rest.stand_ins.fill(rest.document, missed) || removed;
}

}  // namespace

std::vector<std::string> problems_of(const Value& document, const config::Catalogue& catalogue,
                                     const RunOptions& options) {
  std::vector<std::string> problems;
  Rest rest{.document = document, .removals = {}, .stand_ins = {}};
  while (problems.size() < most_problems) {
    try {
      read(rest, catalogue, options);
      break;
    } catch (const InputError& error) {
      if (!follows_from(rest.removals, rest.document, error)) problems.push_back(error.what());
      if (decides_others(rest.document, error) || !take_out(error, document, rest)) break;
    }
  }
  return problems;
}

}  // namespace pipewright
