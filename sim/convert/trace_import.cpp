#include "convert/trace_import.hpp"

#include <filesystem>

#include "config/emit.hpp"
#include "interop/goal_circles.hpp"

namespace pipewright::convert {

std::string path_from(const std::string& out, const std::string& file) {
  if (out == "-" || file == "-") return file;
  const std::filesystem::path folder = std::filesystem::path(out).parent_path();
  return std::filesystem::proximate(file, folder.empty() ? "." : folder).string();
}

std::string experiment_of_trace(const goal::Goal& goal, const char* form, const std::string& file,
                                const std::string& out) {
  goal::check_messages(goal, goal::check(goal));
  config::Value document;
  document.set("trace", {}).set(form, config::scalar(path_from(out, file)));
  config::Value& cluster = document.set("cluster", {});
  cluster.set("devices", config::number(static_cast<int64_t>(goal.ranks.size())));
  config::Value& link = cluster.set("link", {});
  link.set("latency", config::scalar("5 us"));
  link.set("bandwidth", config::scalar("25 GB/s"));
  return "# The link is a placeholder: LogGOPSim's L is its latency, 1 / G its bandwidth.\n" +
         config::to_yaml(document);
}

}  // namespace pipewright::convert
