#include "interop/pipedream.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <queue>

namespace pipewright {
namespace {

constexpr std::string_view separator = " -- ";

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

class PipedreamReader {
 public:
  explicit PipedreamReader(const std::string& file) : file_(file) {}

  std::vector<PipeDreamLayer> read(std::string_view text) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      take(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (nodes_.empty()) fail("no node of a PipeDream profile is here");
    return ordered();
  }

 private:
  [[noreturn]] void fail(const std::string& message, int line = 0) const {
    throw InputError({file_, line > 0 ? line : std::max(line_, 1), 1}, message);
  }

  void take(std::string_view line) {
    if (trimmed(line).empty()) return;
    if (line.front() == '\t')
      take_edge(trimmed(line));
    else
      take_node(trimmed(line));
  }

  void take_edge(std::string_view line) {
    const size_t split = line.find(separator);
    if (split == std::string_view::npos) fail("an edge is '<tab>node1 -- node2'");
    const size_t from = index_of(line.substr(0, split));
    const size_t to = index_of(line.substr(split + separator.size()));
    after_[from].push_back(to);
    ++waits_[to];
  }

  size_t index_of(std::string_view id) const {
    const auto found = index_.find(id);
    if (found == index_.end()) fail(fmt::format("there is no node '{}' above", id.substr(0, 60)));
    return found->second;
  }

  void take_node(std::string_view line) {
    const size_t first = line.find(separator);
    const size_t last = line.find(" -- forward_compute_time=");
    if (first == std::string_view::npos || last == std::string_view::npos || last <= first)
      fail(
          "a node is 'ID -- NAME -- forward_compute_time=..., backward_compute_time=..., "
          "activation_size=..., parameter_size=...'");
    const std::string_view values = line.substr(last);
    PipeDreamLayer layer;
    layer.name = trimmed(line.substr(first + separator.size(), last - first - separator.size()));
    layer.forward_ms = value(values, "forward_compute_time=");
    layer.backward_ms = value(values, "backward_compute_time=");
    layer.activation_bytes = value(values, "activation_size=");
    layer.parameter_bytes = value(values, "parameter_size=");
    if (!index_.try_emplace(std::string(line.substr(0, first)), nodes_.size()).second)
      fail(fmt::format("node '{}' is there twice", line.substr(0, std::min<size_t>(first, 60))));
    nodes_.push_back(std::move(layer));
    after_.emplace_back();
    waits_.push_back(0);
  }

  /// A number, or the sum of a list such as [1.0; 2.0].
  double value(std::string_view values, std::string_view key) const {
    const size_t at = values.find(key);
    if (at == std::string_view::npos) fail(fmt::format("a node needs {}", key));
    std::string_view rest = values.substr(at + key.size());
    const bool list = rest.starts_with('[');
    if (list) rest.remove_prefix(1);
    double sum = 0;
    for (;;) {
      double n = 0;
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), n);
      if (error != std::errc{} || !(n >= 0) || n > 1e15)
        fail(fmt::format("{} needs a number of at least 0", key));
      sum += n;
      rest.remove_prefix(static_cast<size_t>(end - rest.data()));
      if (!list || !rest.starts_with(';')) break;
      rest.remove_prefix(std::min(rest.find_first_not_of("; "), rest.size()));
    }
    if (list && !rest.starts_with(']')) fail(fmt::format("the list of {} is not closed", key));
    return sum;
  }

  std::vector<PipeDreamLayer> ordered() {
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t node = 0; node < nodes_.size(); ++node)
      if (waits_[node] == 0) ready.push(node);
    std::vector<size_t> order;
    while (!ready.empty()) {
      const size_t node = ready.top();
      ready.pop();
      order.push_back(node);
      for (const size_t next : after_[node])
        if (--waits_[next] == 0) ready.push(next);
    }
    if (order.size() < nodes_.size()) fail("the edges make a cycle");
    set_boundaries(order);
    std::vector<PipeDreamLayer> layers;
    for (const size_t node : order) {
      PipeDreamLayer& layer = nodes_[node];
      if (layer.forward_ms + layer.backward_ms + layer.parameter_bytes > 0)
        layers.push_back(std::move(layer));
      else if (!layers.empty())
        layers.back().boundary_bytes = layer.boundary_bytes;
    }
    if (layers.empty()) fail("no node takes any time");
    return layers;
  }

  /// A node's output crosses every cut between it and the last node that reads it.
  void set_boundaries(const std::vector<size_t>& order) {
    std::vector<size_t> place(order.size());
    for (size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    std::vector<double> change(order.size() + 1, 0);
    for (size_t i = 0; i < order.size(); ++i) {
      size_t last = i;
      for (const size_t next : after_[order[i]]) last = std::max(last, place[next]);
      change[i] += nodes_[order[i]].activation_bytes;
      change[last] -= nodes_[order[i]].activation_bytes;
    }
    double crossing = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      crossing += change[i];
      nodes_[order[i]].boundary_bytes = std::max(0.0, std::round(crossing));
    }
  }

  const std::string& file_;
  int line_ = 0;
  std::vector<PipeDreamLayer> nodes_;
  std::vector<std::vector<size_t>> after_;
  std::vector<int> waits_;
  std::map<std::string, size_t, std::less<>> index_;
};

}  // namespace

std::vector<PipeDreamLayer> read_pipedream(std::string_view text, const std::string& file) {
  return PipedreamReader(file).read(text);
}

}  // namespace pipewright
