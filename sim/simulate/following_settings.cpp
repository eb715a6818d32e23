#include "simulate/following_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "config/catalogue.hpp"
#include "experiment/experiment.hpp"
#include "experiment/resolved_document.hpp"

namespace pipewright {
namespace {

using config::Value;

/// What follows from other keys (derived.hpp, settle() of experiments).
constexpr std::array<std::string_view, 11> following = {
    "parallel.shard", "parallel.reshard", "attention",      "gradients",   "loss",        "update",
    "framework",      "kernels",          "overlap.expert", "overlap.p2p", "overlap.data"};

const Value* find_path(const Value& document, std::string_view path) {
  const size_t dot = path.find('.');
  const Value* value = document.find(path.substr(0, dot));
  if (dot == std::string_view::npos || !value) return value;
  return value->is_map() ? value->find(path.substr(dot + 1)) : nullptr;
}

void erase_path(Value& document, std::string_view path) {
  const size_t dot = path.find('.');
  if (dot != std::string_view::npos) {
    Value* map = document.find(path.substr(0, dot));
    if (map && map->is_map()) erase_path(*map, path.substr(dot + 1));
    return;
  }
  std::erase_if(document.entries, [&](const auto& entry) { return entry.key == path; });
}

/// The texts of what follows, as a resolved experiment has them.
std::array<std::string, following.size()> texts_of(const Value& document,
                                                   const config::Catalogue& catalogue) {
  const Value resolved = resolved_document(read_experiment(resolve(document, catalogue)));
  std::array<std::string, following.size()> texts;
  for (size_t i = 0; i < following.size(); ++i)
    if (const Value* value = find_path(resolved, following[i])) texts[i] = value->text;
  return texts;
}

/// `document` without what follows anyway. What would be another is put back.
Value left_open(const Value& document, const config::Catalogue& catalogue) {
  const auto said = texts_of(document, catalogue);
  std::array<bool, following.size()> stays{};
  while (true) {
    Value open = document;
    for (size_t i = 0; i < following.size(); ++i)
      if (!stays[i]) erase_path(open, following[i]);
    const auto follows = texts_of(open, catalogue);
    bool is_same = true;
    for (size_t i = 0; i < following.size(); ++i) {
      if (follows[i] == said[i] || stays[i]) continue;
      is_same = false;
      stays[i] = true;
    }
    if (is_same) return open;
  }
}

Value with_settings(Value document, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) config::set_path(document, setting);
  return document;
}

}  // namespace

FollowingSettings::FollowingSettings(const Value& document, const config::Catalogue& catalogue)
    : document_(document), catalogue_(catalogue), open_(left_open(document, catalogue)) {}

std::vector<std::string> FollowingSettings::of(const std::vector<std::string>& settings) const {
  std::vector<std::string> more;
  try {
    const auto follows = texts_of(with_settings(open_, settings), catalogue_);
    Value changed = with_settings(document_, settings);
    const auto settle = [&](size_t i, const std::string& now) {
      if (follows[i] == now || follows[i].empty()) return;
      more.push_back(fmt::format("{}={}", following[i], follows[i]));
      config::set_path(changed, more.back());
    };
    for (size_t i = 0; i < following.size(); ++i)
      if (const Value* said = find_path(document_, following[i]);
          said && !find_path(open_, following[i]))
        settle(i, said->text);
    // What is not said may follow from what is.
    const auto resolved = texts_of(changed, catalogue_);
    for (size_t i = 0; i < following.size(); ++i) settle(i, resolved[i]);
  } catch (const InputError&) {
    return {};  // the job cannot have them
  }
  return more;
}

}  // namespace pipewright
