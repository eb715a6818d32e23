// Logs of nccl-tests. What is read of them, see interop/nccl_points.hpp. A profile is fitted, and
// fits are the live program's business.
#include "base/error.hpp"
#include "convert/formats/registry.hpp"
#include "interop/nccl_points.hpp"

namespace pipewright::convert {
namespace {

bool recognises_nccl_tests(std::string_view head, const std::string&) {
  return head.find("# nThread ") != std::string_view::npos ||
         head.find("# Collective test") != std::string_view::npos ||
         (head.find(" algbw ") != std::string_view::npos &&
          head.find(" busbw ") != std::string_view::npos) ||
         head.starts_with("op,dtype,");
}

void fuzz_nccl_tests(std::string_view bytes) {
  for (const interop::NcclPoint& point : interop::read_nccl_points(bytes, "x.log")) {
    ensure(point.ranks > 0 && point.nodes > 0 && point.bytes.count >= 0, "a count below zero");
    ensure(point.time_s > 0 && point.element_bytes > 0, "nothing takes no time");
  }
}

}  // namespace

const Format format::nccl_tests{
    .name = "nccl-tests",
    .summary = "logs and tables of nccl-tests, as many FILEs as there are",
    .reading =
        {.makes = "a profile fitted to them, or of several nodes a network profile",
         .help =
             R"(Takes the options of 'pipewright fit nccl', such as --device NAME, and does the same.
)",
         .live = {"fit", "nccl"}},
    .recognises = recognises_nccl_tests,
    .fuzz = fuzz_nccl_tests};

}  // namespace pipewright::convert
