#include <fmt/format.h>

#include <filesystem>

#include "calibrate/cli/registry.hpp"
#include "calibrate/fit/kernels.hpp"
#include "cli/options.hpp"
#include "cli/yaml_file.hpp"
#include "config/emit.hpp"
#include "config/small_file.hpp"
#include "cost/measured_csv.hpp"
#include "report/io/atomic_file.hpp"
#include "workload/workload_options.hpp"

namespace pipewright::cli {
namespace {

namespace fs = std::filesystem;

struct Wanted {
  std::vector<std::string> files;
  std::string device, output;
  bool quiet = false;
};

Wanted read_options(const Arguments& arguments) {
  Wanted wanted;
  options::options_description description;
  auto add = description.add_options();
  add("files", options::value(&wanted.files));
  add("device", options::value(&wanted.device));
  add("output,o", options::value(&wanted.output));
  add("quiet,q", options::bool_switch(&wanted.quiet));
  parse(arguments, description, "files", -1);
  if (wanted.files.empty()) throw InputError("fit kernels needs a FILE of measured times");
  if (wanted.device.empty()) throw InputError("fit kernels needs --device NAME");
  if (wanted.output.empty()) throw InputError("fit kernels needs -o PROFILE, a YAML file");
  return wanted;
}

/// Tables of the same kernel and type from several files as one.
std::vector<PointTable> read_tables(const std::vector<std::string>& files) {
  std::vector<PointTable> tables;
  for (const std::string& file : files) {
    for (PointTable& table : read_measured_csv(config::read_small_file(file), file)) {
      const auto same = [&](const PointTable& t) {
        return t.keys == table.keys && t.dtype == table.dtype;
      };
      const auto found = std::find_if(tables.begin(), tables.end(), same);
      if (found == tables.end()) {
        tables.push_back(std::move(table));
        continue;
      }
      std::vector<Sample> both = samples_of(*found);
      const std::vector<Sample> more = samples_of(table);
      both.insert(both.end(), more.begin(), more.end());
      *found = table_of(*table.keys, table.dtype, both);
    }
  }
  return tables;
}

/// The profile that is there already, or an empty one of `device`.
config::Value document_of(const std::string& output, const Device& device) {
  std::error_code ignored;
  if (fs::exists(output, ignored)) return config::parse_file(output);
  config::Value document;
  document.set("schema", config::scalar(profile_schema));
  document.set("description", config::scalar("measured kernels of " + device.name));
  document.set("origin", config::scalar("measured"));
  document.set("device", config::scalar(device.name));
  return document;
}

void require(const Device& device, DType dtype) {
  if (!device.peak_at(dtype) || device.processors == 0)
    throw InputError(fmt::format("device '{}' needs 'processors' and a peak for {} to be fitted",
                                 device.name, name_of(dtype)));
}

void print_errors(const char* kernel, DType dtype, const std::vector<HeldOutError>& errors) {
  for (const HeldOutError& error : errors) {
    fmt::print("{} {}, held out {}: {} points, median {:.2f} %, 90th {:.1f} %, 95th {:.1f} %\n",
               kernel, name_of(dtype), error.points, error.count, 100 * error.median,
               100 * error.p90, 100 * error.p95);
  }
}

int fit_kernels(const Arguments& arguments, const Environment& environment) {
  const Wanted wanted = read_options(arguments);
  const Device device = read_device(config::scalar(wanted.device), environment.catalogue);
  Profile profile{.device = device};
  for (const PointTable& table : read_tables(wanted.files)) {
    require(device, table.dtype);
    if (table.keys == &gemm_keys) {
      profile.gemm.push_back(fit::fit_gemm(table, device));
      if (!wanted.quiet) print_errors("gemm", table.dtype, profile.gemm.back().held_out);
    } else {
      profile.attention = fit::fit_attention(table, device);
      if (!wanted.quiet) print_errors("attention", table.dtype, profile.attention->held_out);
    }
  }
  const fs::path points = fs::path(wanted.output).replace_extension("points");
  config::Value document = document_of(wanted.output, device);
  set_kernels(document, profile, points.filename().string());
  write_file(points.string(), points_text(profile));
  write_yaml(wanted.output, config::to_yaml(document), "profile");
  return 0;
}

}  // namespace

const Command live_program::command::fit_kernels_command{
    "fit kernels", live_program::help_fit_kernels, fit_kernels};

}  // namespace pipewright::cli
