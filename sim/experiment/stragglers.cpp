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

}  // namespace

Stragglers read_stragglers(const Value& value) {
  if (!value.is_list()) value.fail("stragglers is a list such as [{device: 17, slowdown: 1.5}]");
  Stragglers stragglers;
  for (const Value& item : value.items) {
    const Fields fields(item, "a straggler", keys::a_straggler);
    if (const Value* link = fields.find("link")) {
      Fields(item, "a slow link", {"link", "bandwidth"});
      const auto [from, to] = read_ends(*link);
      const double left = config::as_fraction(fields.at("bandwidth"), 1e-6, 1);
      stragglers.narrow.push_back({from, to, left, item.mark});
      continue;
    }
    const Value* node = fields.find("node");
    if (node)
      Fields(item, "a slow node", {"node", "slowdown"});
    else
      Fields(item, "a slow device", {"device", "slowdown"});
    const Value& number = node ? *node : fields.at("device");
    stragglers.slow.push_back({static_cast<int>(config::as_int(number, 0, most_numbered)),
                               node != nullptr,
                               config::as_number(fields.at("slowdown"), 0.01, 1000), item.mark});
  }
  return stragglers;
}

}  // namespace pipewright
