#include "experiment/stragglers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "experiment/options.hpp"

namespace pipewright {
namespace {

using config::Fields;
using config::Value;

constexpr int most_numbered = 1 << 30;

/// "12>13", with or without spaces.
std::pair<int, int> read_ends(const Value& value) {
  std::string text = config::as_text(value, "a link such as \"12>13\"");
  std::erase(text, ' ');
  const char* const end = text.data() + text.size();
  int from = -1, to = -1;
  const auto first = std::from_chars(text.data(), end, from);
  const bool separated = first.ec == std::errc{} && first.ptr < end && *first.ptr == '>';
  const auto second = separated ? std::from_chars(first.ptr + 1, end, to) : first;
  if (second.ec != std::errc{} || second.ptr != end || from < 0 || to < 0 || from == to) {
    value.fail(fmt::format("'{}' is no link: it is written \"12>13\", from one device to another",
                           value.text));
  }
  return {from, to};
}

/// A pipeline rank is slow where its devices are.
void refuse_rank(const Value& item) {
  if (!item.is_map()) return;
  for (const config::Entry& entry : item.entries)
    if (entry.key == "rank")
      throw InputError(entry.mark.where(), "unknown key 'rank'; did you mean 'device'?");
}

/// Throws InputError where `item` slows what an earlier straggler slows.
template <class Parts, class Same>
void refuse_twice(const Parts& parts, const Same& same, const Value& item, const char* what) {
  if (std::ranges::any_of(parts, same))
    item.fail(fmt::format("this {} is given twice; one straggler says how slow it is", what));
}

void add_narrow(const Value& item, Stragglers& stragglers) {
  const Fields fields(item, "a slow link", {"link", "bandwidth"});
  const auto [from, to] = read_ends(fields.at("link"));
  refuse_twice(
      stragglers.narrow, [&](const auto& one) { return one.from == from && one.to == to; }, item,
      "link");
  const double left = config::as_fraction(fields.at("bandwidth"), 1e-6, 1);
  stragglers.narrow.push_back({from, to, left, item.mark});
}

/// Throws InputError for what would make a device faster.
double slowdown_of(const Value& value) {
  const double slowdown = config::as_number(value, 0.01, 1000);
  if (slowdown < 1)
    value.fail(
        fmt::format("a straggler is no faster than the others: at half the speed slowdown "
                    "is 2; 'speeds' of the cluster says how fast devices are"));
  return slowdown;
}

void add_slow(const Value& item, const char* what, const char* key, Stragglers& stragglers) {
  const Fields fields(item, what, {key, "slowdown"});
  const bool is_node = std::string_view(key) == "node";
  const auto number = static_cast<int>(config::as_int(fields.at(key), 0, most_numbered));
  refuse_twice(
      stragglers.slow,
      [&](const auto& one) { return one.number == number && one.whole_node == is_node; }, item,
      key);
  stragglers.slow.push_back({number, is_node, slowdown_of(fields.at("slowdown")), item.mark});
}

}  // namespace

Stragglers read_stragglers(const Value& value) {
  if (!value.is_list()) value.fail("stragglers is a list such as [{device: 17, slowdown: 1.5}]");
  Stragglers stragglers;
  for (const Value& item : value.items) {
    refuse_rank(item);
    const Fields fields(item, "a straggler", keys::a_straggler);
    if (fields.find("link"))
      add_narrow(item, stragglers);
    else if (fields.find("node"))
      add_slow(item, "a slow node", "node", stragglers);
    else
      add_slow(item, "a slow device", "device", stragglers);
  }
  return stragglers;
}

}  // namespace pipewright
