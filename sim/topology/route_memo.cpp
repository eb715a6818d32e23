#include "topology/route_memo.hpp"

namespace pipewright {

std::optional<Route> RouteMemo::find(int from, int to) const {
  const Shelf& at = shelves_[shelf(from, to)];
  const std::lock_guard lock(at.mutex);
  const auto found = at.routes.find(key(from, to));
  return found == at.routes.end() ? std::nullopt : std::optional(found->second);
}

void RouteMemo::keep(int from, int to, const Route& route) {
  Shelf& at = shelves_[shelf(from, to)];
  const std::lock_guard lock(at.mutex);
  if (at.routes.size() < most_routes / shelves) at.routes.try_emplace(key(from, to), route);
}

}  // namespace pipewright
