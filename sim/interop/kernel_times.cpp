#include "interop/kernel_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/json.hpp"
#include "interop/json_events.hpp"
#include "interop/sqlite_file.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::json;
using ByName = std::map<std::string, std::vector<double>>;

double total(const KernelTimes& kernel) {
  return std::accumulate(kernel.seconds.begin(), kernel.seconds.end(), 0.0);
}

std::vector<KernelTimes> sorted(ByName by_name, const std::string& file) {
  if (by_name.empty()) throw InputError({file, 0, 0}, "no kernel is in this trace");
  std::vector<KernelTimes> kernels;
  for (auto& [name, times] : by_name) {
    std::sort(times.begin(), times.end());
    kernels.push_back({name, std::move(times)});
  }
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const auto& a, const auto& b) { return total(a) > total(b); });
  return kernels;
}

/// Adds the event where it is a kernel.
void add_kernel(std::string_view event, const Where& where, ByName& by_name) {
  if (event.find("\"kernel\"") == std::string_view::npos &&
      event.find("\"Kernel\"") == std::string_view::npos)
    return;
  const Json parsed = parse_json(event);
  if (!parsed.is_object()) throw InputError(where, "this event is no JSON");
  const Json category = parsed.value("cat", Json());
  if (category != "kernel" && category != "Kernel") return;
  const auto name = parsed.find("name"), length = parsed.find("dur");
  if (name == parsed.end() || !name->is_string() || length == parsed.end() ||
      !length->is_number() || !(length->get<double>() >= 0) ||
      !std::isfinite(length->get<double>()))
    throw InputError(where, "this kernel has no name or no dur from zero on");
  by_name[name->get<std::string>()].push_back(length->get<double>() * 1e-6);
}

std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace

std::vector<KernelTimes> read_kineto(const std::vector<std::string>& files) {
  ByName by_name;
  for (const std::string& file : files) {
    JsonEvents events(file, "traceEvents");
    while (events.next()) add_kernel(events.object(), {file, events.line(), 0}, by_name);
  }
  return sorted(std::move(by_name), files.empty() ? std::string() : files.front());
}

std::vector<KernelTimes> read_nsys(const std::string& file) {
  const interop::SqliteFile database(file);
  if (!database.has_table("CUPTI_ACTIVITY_KIND_KERNEL"))
    throw InputError({file, 0, 0}, "is no SQLite export of Nsight Systems with kernels");
  interop::SqliteRows rows = database.rows(
      "SELECT s.value, k.end - k.start FROM CUPTI_ACTIVITY_KIND_KERNEL k "
      "JOIN StringIds s ON s.id = k.demangledName ORDER BY k.start");
  ByName by_name;
  while (rows.next())
    by_name[rows.text(0).value_or("?")].push_back(static_cast<double>(rows.number(1)) * 1e-9);
  return sorted(std::move(by_name), file);
}

std::string csv_of(const std::vector<KernelTimes>& kernels) {
  std::string text = "kernel,launches,total_s,median_s,min_s,max_s\n";
  for (const KernelTimes& kernel : kernels) {
    const std::vector<double>& s = kernel.seconds;
    const double median = (s[(s.size() - 1) / 2] + s[s.size() / 2]) / 2;
    text += fmt::format("{},{},{:.9g},{:.9g},{:.9g},{:.9g}\n", field(kernel.name), s.size(),
                        total(kernel), median, s.front(), s.back());
  }
  return text;
}

}  // namespace pipewright
