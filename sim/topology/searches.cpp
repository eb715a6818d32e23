#include "topology/searches.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace pipewright {
namespace {

constexpr size_t most_held = 4'000'000;  ///< costs of paths inside nodes; 4 MB

}  // namespace

Paths joined(const Paths& first, const Paths& then, size_t most) {
  Paths all;
  for (const std::vector<LinkId>& begin : first) {
    for (const std::vector<LinkId>& end : then) {
      if (all.size() == most) return all;
      all.push_back(begin);
      all.back().insert(all.back().end(), end.begin(), end.end());
    }
  }
  return all;
}

Searches::Searches(const Wiring& wiring) : wiring_(wiring), leaving_(wiring), parts_(wiring) {
  size_t sources = 0, held = 0;
  for (const size_t part : parts_.first_of_form) {
    regions_.emplace_back(wiring_, parts_.members[part], parts_.inner[part], parts_.place);
    const size_t size = parts_.members[part].size();
    first_search_.push_back(sources);
    if (part == parts_.index(fabric)) continue;
    sources += 2 * size;
    held += 2 * size * size;
  }
  const size_t switches = parts_.members.back().size();
  fabric_searched_ = std::make_unique<std::once_flag[]>(switches);
  fabric_searches_.resize(switches);
  if (held > most_held) return;
  node_searched_ = std::make_unique<std::once_flag[]>(sources);
  node_costs_.resize(sources);
}

std::shared_ptr<const PathCosts> Searches::costs(VertexId source, SearchWay direction) const {
  return std::make_shared<const PathCosts>(
      region(source).search(wiring_, source, direction, parts_.place));
}

Searches::Search Searches::in_node(VertexId device, SearchWay direction) const {
  const size_t form = parts_.form[parts_.index(wiring_.vertices[device].node)];
  const uint32_t place = parts_.place[device];
  const VertexId alike = parts_.members[parts_.first_of_form[form]][place];
  if (node_costs_.empty()) return {device, direction, costs(alike, direction)};
  const size_t number =
      first_search_[form] + 2 * size_t{place} + (direction == SearchWay::from_source ? 0 : 1);
  std::call_once(node_searched_[number], [&] { node_costs_[number] = costs(alike, direction); });
  return {device, direction, node_costs_[number]};
}

const Searches::Search& Searches::across_fabric(VertexId source) const {
  const uint32_t place = parts_.place[source];
  std::call_once(fabric_searched_[place], [&] {
    fabric_searches_[place] = {source, SearchWay::from_source,
                               costs(source, SearchWay::from_source)};
  });
  return fabric_searches_[place];
}

std::vector<LinkId> Searches::last_links(const Search& search, VertexId vertex) const {
  const bool forward = search.direction == SearchWay::from_source;
  std::vector<LinkId> last;
  for (const LinkId leaving : leaving_.of(vertex)) {
    const VertexId other = wiring_.links[leaving].to;
    if (wiring_.vertices[other].node != wiring_.vertices[vertex].node) continue;
    if (other != search.source && !forwards(wiring_.vertices[other].kind)) continue;
    const LinkId taken = forward ? opposite(leaving) : leaving;
    if (cost(search, other) + cost_of(wiring_.links[taken]) == cost(search, vertex))
      last.push_back(taken);
  }
  ensure(!last.empty(), "a vertex that was reached has no link by which it was reached");
  std::sort(last.begin(), last.end());
  return last;
}

Paths Searches::paths(const Search& search, VertexId vertex, size_t most) const {
  if (vertex == search.source) return {{}};
  const bool forward = search.direction == SearchWay::from_source;
  Paths all;
  for (const LinkId last : last_links(search, vertex)) {
    if (all.size() == most) break;
    const Paths rest = paths(search, before(search, last), most - all.size());
    const Paths whole = forward ? joined(rest, {{last}}, most) : joined({{last}}, rest, most);
    all.insert(all.end(), whole.begin(), whole.end());
  }
  return all;
}

std::vector<LinkId> Searches::path(const Search& search, VertexId vertex) const {
  const bool forward = search.direction == SearchWay::from_source;
  std::vector<LinkId> links;
  while (vertex != search.source) {
    links.push_back(last_links(search, vertex).front());
    vertex = before(search, links.back());
  }
  if (forward) std::reverse(links.begin(), links.end());
  return links;
}

uint64_t Searches::count(const Search& search, VertexId vertex, PathCounts& counts) const {
  if (vertex == search.source) return 1;
  const bool forward = search.direction == SearchWay::from_source;
  return counts.of(search.source, forward, vertex, [&] {
    uint64_t sum = 0;
    for (const LinkId last : last_links(search, vertex))
      sum = sum_of_paths(sum, count(search, before(search, last), counts));
    return sum;
  });
}

std::vector<LinkId> Searches::path_number(const Search& search, VertexId vertex, uint64_t number,
                                          PathCounts& counts) const {
  std::vector<LinkId> links;
  while (vertex != search.source) {
    for (const LinkId last : last_links(search, vertex)) {
      const VertexId other = before(search, last);
      const uint64_t through = count(search, other, counts);
      if (number < through) {
        links.push_back(last);
        vertex = other;
        break;
      }
      number -= through;
    }
  }
  if (search.direction == SearchWay::from_source) std::reverse(links.begin(), links.end());
  return links;
}

}  // namespace pipewright
