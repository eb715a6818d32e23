// SQLite exports of Nsight Systems. What is read of them, see interop/kernel_times.hpp.
#include "convert/formats/registry.hpp"
#include "interop/kernel_times.hpp"

namespace pipewright::convert {
namespace {

std::string import_nsys(const ImportRequest& request) { return csv_of(read_nsys(request.file)); }

bool recognises_nsys(std::string_view head, const std::string&) {
  return head.starts_with("SQLite format 3");
}

}  // namespace

const Format format::nsys{
    .name = "nsys",
    .summary = "an SQLite export of Nsight Systems",
    .reading =
        {.makes = "kernel times by kernel, CSV",
         .help =
             R"('nsys export --type sqlite' makes the file. A row has the kernel, how often it was launched, and
its total, median, least and longest time in seconds; the kernel that takes longest in all comes first.
)",
         .run = import_nsys},
    .recognises = recognises_nsys};

}  // namespace pipewright::convert
