#include "interop/kernel_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

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

/// The place of a byte of `text`.
Where place(std::string_view text, size_t byte, const std::string& file) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n');
  const size_t start = before.rfind('\n');
  const size_t column = start == std::string_view::npos ? before.size() : before.size() - start - 1;
  return {file, static_cast<int>(line) + 1, static_cast<int>(column) + 1};
}

std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace

std::vector<KernelTimes> read_kineto(std::string_view text, const std::string& file) {
  Json trace;
  try {
    trace = Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw InputError(place(text, error.byte, file), "this is no JSON");
  } catch (const Json::out_of_range&) {
    throw InputError({file, 0, 0}, "a number of this trace is beyond what a double holds");
  }
  const Json* events = &trace;
  if (trace.is_object() && trace.contains("traceEvents")) events = &trace["traceEvents"];
  if (!events->is_array())
    throw InputError({file, 1, 1}, "a trace of the PyTorch profiler has a list traceEvents");
  ByName by_name;
  for (const Json& event : *events) {
    if (!event.is_object()) continue;
    const auto category = event.find("cat"), name = event.find("name"), length = event.find("dur");
    if (category == event.end() || *category != "kernel") continue;
    if (name == event.end() || !name->is_string() || length == event.end() || !length->is_number())
      throw InputError({file, 0, 0}, "a kernel of this trace has no name or no dur");
    by_name[name->get<std::string>()].push_back(length->get<double>() * 1e-6);
  }
  return sorted(std::move(by_name), file);
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
