#include "topology/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "config/catalogue.hpp"

namespace pipewright {
namespace {

constexpr uint32_t most_of_a_kind = 4096;
constexpr const char* form =
    "the end of a link must be 'device N', 'switch N', 'host N' or 'nic N'";

std::optional<VertexKind> kind_named(std::string_view word) {
  if (word == "device") return VertexKind::device;
  if (word == "switch") return VertexKind::node_switch;
  if (word == "host") return VertexKind::host;
  if (word == "nic") return VertexKind::nic;
  return std::nullopt;
}

GraphEnd read_end(const config::Value& value, int devices) {
  const std::string& text = config::as_text(value, form);
  const size_t space = text.find(' ');
  const auto kind = kind_named(text.substr(0, space));
  uint32_t index = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] =
      std::from_chars(space == std::string::npos ? end : text.data() + space + 1, end, index);
  if (!kind || error != std::errc() || at != end) value.fail(fmt::format("{}: '{}'", form, text));
  const uint32_t most =
      *kind == VertexKind::device ? static_cast<uint32_t>(devices) : most_of_a_kind;
  if (index >= most) value.fail(fmt::format("'{}', but the last can be {}", text, most - 1));
  return {*kind, index};
}

GraphLink read_graph_link(const config::Value& value, const config::Catalogue& catalogue,
                          int devices) {
  const config::Fields fields(value, "a link of a graph", {"between", "link"});
  const config::Value& between = fields.at("between");
  if (!between.is_list() || between.items.size() != 2)
    between.fail("'between' must be a list of two ends, such as [device 0, switch 0]");
  GraphLink link{read_end(between.items[0], devices), read_end(between.items[1], devices),
                 read_link(fields.at("link"), catalogue)};
  if (link.a == link.b) between.fail("a link cannot end where it begins");
  return link;
}

void check_nics(const config::Value& links, const std::vector<GraphLink>& graph) {
  std::set<uint32_t> nics;
  for (const GraphLink& link : graph)
    for (const GraphEnd& end : {link.a, link.b})
      if (end.kind == VertexKind::nic) nics.insert(end.index);
  if (!nics.empty() && *nics.rbegin() + 1 != nics.size())
    links.fail(fmt::format("nics are numbered from 0 without a gap: there is a nic {}, but {} nics",
                           *nics.rbegin(), nics.size()));
}

}  // namespace

std::vector<GraphLink> read_graph(const config::Value& links, const config::Catalogue& catalogue,
                                  int devices) {
  if (!links.is_list()) links.fail("'links' must be a list of {between: [...], link: ...}");
  std::vector<GraphLink> graph;
  for (const config::Value& item : links.items)
    graph.push_back(read_graph_link(item, catalogue, devices));
  check_nics(links, graph);
  return graph;
}

bool names(const std::vector<GraphLink>& graph, VertexKind kind) {
  return std::any_of(graph.begin(), graph.end(), [&](const GraphLink& link) {
    return link.a.kind == kind || link.b.kind == kind;
  });
}

}  // namespace pipewright
