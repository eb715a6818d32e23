// Traces of the PyTorch profiler. What is read of them, see interop/kernel_times.hpp.
#include "config/value.hpp"
#include "convert/formats/registry.hpp"
#include "interop/kernel_times.hpp"

namespace pipewright::convert {
namespace {

std::string import_kineto(const ImportRequest& request) {
  return csv_of(read_kineto(config::read_file(request.file), request.file));
}

bool recognises_kineto(std::string_view head, const std::string&) {
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  if (!head.starts_with('{') && !head.starts_with('[')) return false;
  for (const char* key : {"\"traceEvents\"", "\"deviceProperties\"", "\"ph\"", "\"cat\""})
    if (head.find(key) != std::string_view::npos) return true;
  return false;
}

void fuzz_kineto(std::string_view bytes) {
  for (const KernelTimes& kernel : read_kineto(bytes, "trace.json"))
    ensure(!kernel.seconds.empty(), "a kernel without a launch");
}

}  // namespace

const Format format::kineto{
    .name = "kineto",
    .summary = "a trace of the PyTorch profiler (JSON)",
    .reading =
        {.makes = "kernel times by kernel, CSV",
         .help =
             R"(Kernels are the events of category "kernel". A row has the kernel, how often it was launched, and
its total, median, least and longest time in seconds; the kernel that takes longest in all comes first.
)",
         .run = import_kineto},
    .recognises = recognises_kineto,
    .fuzz = fuzz_kineto};

}  // namespace pipewright::convert
