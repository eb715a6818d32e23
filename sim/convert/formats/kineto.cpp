// Traces of the PyTorch profiler. What is read of them, see interop/kernel_times.hpp.
#include <algorithm>
#include <filesystem>

#include "convert/formats/layers_option.hpp"
#include "convert/formats/registry.hpp"
#include "convert/layered_model.hpp"
#include "interop/kernel_times.hpp"

namespace pipewright::convert {
namespace {

namespace fs = std::filesystem;

bool is_trace(const std::string& file) {
  return file.ends_with(".json") || file.ends_with(".json.gz");
}

/// A folder has a trace of each rank.
std::vector<std::string> traces_of(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return {path};
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, ignored))
    if (is_trace(entry.path().string())) files.push_back(entry.path().string());
  if (files.empty()) throw InputError({path}, "no .json and no .json.gz is in this folder");
  std::sort(files.begin(), files.end());
  return files;
}

std::string import_kineto(const ImportRequest& request) {
  std::vector<std::string> files = traces_of(request.file);
  for (const std::string& more : request.more)
    for (std::string& file : traces_of(more)) files.push_back(std::move(file));
  if (request.has("layers")) return model_of_profiles(files);
  return csv_of(read_kineto(files));
}

bool recognises_kineto(std::string_view head, const std::string&) {
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  if (!head.starts_with('{') && !head.starts_with('[')) return false;
  for (const char* key : {"\"traceEvents\"", "\"deviceProperties\"", "\"ph\"", "\"cat\""})
    if (head.find(key) != std::string_view::npos) return true;
  return false;
}

}  // namespace

const Format format::kineto{
    .name = "kineto",
    .summary =
        "a trace of the PyTorch profiler (JSON, also .json.gz), or a folder of ranks' traces",
    .reading =
        {.makes =
             "kernel times by kernel, CSV; with --layers a model of layers with measured times",
         .help =
             R"(Kernels are the events of category "kernel". A row has the kernel, how often it was launched, and
its total, median, least and longest time in seconds; the kernel that takes longest in all comes first.
Several FILEs, or a folder of them, are counted together.
With --layers it is a model: the layers that kernels repeat, each with its times. Of a pipeline a rank
of every stage is needed.
)",
         .run = import_kineto,
         .options = {layers_option},
         .takes_several = true},
    .recognises = recognises_kineto};

}  // namespace pipewright::convert
