#include "report/json/sweep.hpp"

#include <nlohmann/json.hpp>

namespace pipewright {

using Json = nlohmann::ordered_json;

void write_sweep_json(const SweepView& view, std::ostream& out) {
  out << "{\n\"schema\": \"pipewright.results/1\",\n\"results\": [";
  const char* separator = "\n";
  view.for_each([&](const SweepRun& run) {
    Json object;
    object["settings"] = Json::object();
    for (size_t i = 0; i < view.paths.size(); ++i)
      if (!run.settings[i].empty()) object["settings"][view.paths[i]] = run.settings[i];
    object["schedule"] = run.schedule;
    if (run.ran())
      object.update(Json::parse(run.json));
    else
      object["reason"] = run.reason;
    out << separator << object.dump();
    separator = ",\n";
  });
  out << "\n]\n}\n";
}

}  // namespace pipewright
