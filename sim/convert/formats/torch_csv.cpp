// PyTorch's pipeline schedules: one row of actions a rank. How they are written, see
// schedule/torch_csv.hpp.
#include "schedule/torch_csv.hpp"

#include <cctype>

#include "config/emit.hpp"
#include "config/small_file.hpp"
#include "convert/formats/registry.hpp"
#include "report/io/atomic_file.hpp"
#include "run/prepare.hpp"
#include "run/prepared.hpp"

namespace pipewright::convert {
namespace {

std::string import_torch_csv(const ImportRequest& request) {
  const schedule::Schedule schedule =
      schedule::read_torch_csv(config::read_small_file(request.file), request.file);
  return schedule::write_torch_csv(schedule, config::scalar(request.file));
}

void export_torch_csv(const ExportRequest& request) {
  const Prepared prepared = prepare(request.experiment, request.catalogue, request.options);
  write_file(request.out,
             schedule::write_torch_csv(prepared.schedule, request.experiment.at("schedule")));
}

/// A row begins with idle steps, then a stage and what it does: ",,0F0", "1RECV_F0".
bool recognises_torch_csv(std::string_view head, const std::string&) {
  head.remove_prefix(std::min(head.find_first_not_of(", ("), head.size()));
  const size_t action = head.find_first_not_of("0123456789");
  if (action == 0 || action + 1 >= head.size()) return false;
  const auto next = static_cast<unsigned char>(head[action + 1]);
  return std::string_view("FBIWSRU").find(head[action]) != std::string_view::npos &&
         (std::isdigit(next) || std::isupper(next));
}

/// What can be read can be written and read again.
void fuzz_torch_csv(std::string_view bytes) {
  const schedule::Schedule first = schedule::read_torch_csv(bytes, "orders.csv");
  const std::string written = schedule::write_torch_csv(first, {});
  const schedule::Schedule second = schedule::read_torch_csv(written, "written.csv");
  ensure(first.order == second.order, "what was written is not what was read");
}

}  // namespace

const Format format::torch_csv{
    .name = "torch-csv",
    .summary = "PyTorch's pipeline schedule",
    .reading =
        {.makes = "checks it and writes it in today's notation",
         .help =
             R"(The file has one row a rank and one action a cell, as torch.distributed.pipelining writes it; files
in the older notation, with BW for a full backward, are brought up to date. 'schedule: torch-csv:FILE'
in an experiment runs such a file as it is.
)",
         .run = import_torch_csv},
    .writing =
        {.holds = "the schedule, one row a rank",
         .help =
             R"(A synchronous schedule goes out as one iteration, an asynchronous one in full. Token slices cannot
be said and are refused.
)",
         .run = export_torch_csv,
         .example = R"(
model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms}}
cluster: {devices: 4, link: {latency: 5 us, bandwidth: 25 GB/s}}
schedule: zb-h1
)"},
    .recognises = recognises_torch_csv,
    .fuzz = fuzz_torch_csv};

}  // namespace pipewright::convert
