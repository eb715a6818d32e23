// SQLite exports of Nsight Systems. What is read of them, see interop/kernel_times.hpp.
#include "convert/formats/layers_option.hpp"
#include "convert/formats/registry.hpp"
#include "convert/layered_model.hpp"
#include "interop/kernel_times.hpp"

namespace pipewright::convert {
namespace {

std::string import_nsys(const ImportRequest& request) {
  if (request.has("layers")) return model_of_profiles({request.file});
  return csv_of(read_nsys(request.file));
}

bool recognises_nsys(std::string_view head, const std::string&) {
  return head.starts_with("SQLite format 3");
}

}  // namespace

const Format format::nsys{
    .name = "nsys",
    .summary = "an SQLite export of Nsight Systems",
    .reading =
        {.makes =
             "kernel times by kernel, CSV; with --layers a model of layers with measured times",
         .help =
             R"('nsys export --type sqlite' makes the file. A row has the kernel, how often it was launched, and
its total, median, least and longest time in seconds; the kernel that takes longest in all comes first.
With --layers it is a model: the layers that kernels repeat, each with its times. NVTX ranges must say
what a step is, as for 'pipewright diagnose'.
)",
         .run = import_nsys,
         .options = {layers_option}},
    .recognises = recognises_nsys};

}  // namespace pipewright::convert
