// What `nvidia-smi topo -m` prints of a machine. What the matrix says, see interop/topo_matrix.hpp;
// how it becomes NCCL's picture of a machine, see convert/topo_system.hpp; and a node, see
// convert/nccl_node.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"
#include "config/catalogue.hpp"
#include "config/emit.hpp"
#include "config/small_file.hpp"
#include "convert/formats/registry.hpp"
#include "convert/nccl_node.hpp"
#include "convert/topo_system.hpp"
#include "interop/topo_matrix.hpp"
#include "interop/words.hpp"

namespace pipewright::convert {
namespace {

using interop::TopoMatrix;

struct Generation {
  std::string_view device, nvlink;
};
/// How names of devices begin, and NVLink in the catalogue.
constexpr Generation generations[] = {
    {"p100", "nvlink1"},      {"v100", "nvlink2"},  {"a100", "nvlink3"}, {"h100", "nvlink4"},
    {"h200", "nvlink4"},      {"gh200", "nvlink4"}, {"b200", "nvlink5"}, {"b300", "nvlink5"},
    {"h800", "nvlink4-h800"}, {"gb200", "nvlink5"}, {"gb300", "nvlink5"}};

/// What an option says, with its name as the place for errors.
config::Value said(std::string_view option, const std::string& text) {
  return config::scalar(text, {std::make_shared<const std::string>(fmt::format("--{}", option))});
}

std::string nvlink_of(const ImportRequest& request, const std::string& device) {
  if (request.has("nvlink")) return request.option("nvlink");
  for (const Generation& generation : generations)
    if (device.starts_with(generation.device)) return std::string(generation.nvlink);
  throw InputError(
      {request.file, 0, 0},
      fmt::format("the NVLinks of '{}' are not known: name them with --nvlink, as nvlink4",
                  device));
}

/// The link from a device to its host, as --pcie or the catalogue names it.
config::Value pcie_of(const ImportRequest& request, const config::Catalogue& catalogue,
                      const std::string& device) {
  const config::Value entry = catalogue.resolve("devices", said("device", device));
  if (request.has("pcie")) return said("pcie", request.option("pcie"));
  const config::Value* link = entry.find("host_link");
  return link ? *link : config::scalar("pcie3");
}

/// NICs that --nics names, by thing.
std::vector<bool> named_nics(const ImportRequest& request, const TopoMatrix& matrix) {
  const std::string list = request.option("nics");
  std::vector<bool> used(matrix.things.size());
  for (const std::string_view name : interop::split(list, ",", false)) {
    const auto found =
        std::find_if(matrix.things.begin(), matrix.things.end(), [&](const auto& thing) {
          return !thing.gpu && (thing.name == name || thing.label == name);
        });
    if (found == matrix.things.end())
      throw InputError(fmt::format("--nics: no NIC '{}' in '{}'", name, request.file));
    used[static_cast<size_t>(found - matrix.things.begin())] = true;
  }
  return used;
}

/// Two things have no more NVLinks between them than one of them has.
void check_links(const ImportRequest& request, const TopoMatrix& matrix, const LinkType& nvlink,
                 const std::string& device) {
  for (const std::vector<interop::TopoPath>& paths : matrix.paths)
    for (const interop::TopoPath& path : paths)
      if (path.links > nvlink.lanes)
        throw InputError({request.file, 0, 0},
                         fmt::format("NV{}: a GPU with {} has {} NVLinks, so that these are no {}; "
                                     "--device or --nvlink says which they are",
                                     path.links, nvlink.name, nvlink.lanes, device));
}

std::string names(const TopoMatrix& matrix, const std::vector<bool>& which) {
  std::vector<std::string_view> list;
  for (size_t at = 0; at < matrix.things.size(); ++at)
    if (which[at]) list.emplace_back(matrix.things[at].name);
  return join(list);
}

/// The NICs that become part of the node; none where nobody says what they are.
std::vector<bool> used_nics(const ImportRequest& request, const TopoMatrix& matrix,
                            std::string& notes) {
  const std::vector<bool> none(matrix.things.size());
  const std::vector<bool> chosen =
      request.has("nics") ? named_nics(request, matrix) : near_nics(matrix);
  if (chosen == none) return none;
  if (!request.has("nic-link")) {
    notes += fmt::format("# left out: NICs {}; --nic-link says their link, as ndr\n",
                         names(matrix, chosen));
    return none;
  }
  notes += fmt::format("# assumed: NICs {} are for training, each {}\n", names(matrix, chosen),
                       request.option("nic-link"));
  return chosen;
}

/// Throws for what is no link.
void check_nic_link(const ImportRequest& request, const config::Catalogue& catalogue) {
  const config::Value link = said("nic-link", request.option("nic-link"));
  const std::vector<std::string> known = catalogue.names("links");
  if (link.is_scalar() && !config::is_path(link.text) &&
      std::ranges::find(known, link.text) == known.end())
    link.fail(fmt::format("unknown link '{}'; there are: {}", link.text,
                          join(std::vector<std::string_view>(known.begin(), known.end()))));
  read_link(link, catalogue);
}

std::string node_of_topo(const ImportRequest& request, const TopoMatrix& matrix) {
  const config::Catalogue catalogue;
  const std::string device = request.option("device");
  if (device.empty())
    throw InputError({request.file, 0, 0},
                     "the matrix does not say what its GPUs are: name a device of the catalogue "
                     "with --device ('pipewright list devices')");
  std::string notes;
  const LinkType pcie = read_link(pcie_of(request, catalogue, device), catalogue);
  notes += fmt::format("# assumed: {} from GPUs, NICs and switches upwards\n", pcie.name);
  TopoParts parts{.pcie = pcie.bandwidth.bytes_per_s};
  if (has_nvlink(matrix)) {
    parts.nvlink = read_link(said("nvlink", nvlink_of(request, device)), catalogue);
    check_links(request, matrix, parts.nvlink, device);
    notes +=
        fmt::format("# assumed: NVLinks of {} go {}\n", parts.nvlink.name,
                    has_nvswitch(matrix, parts.nvlink.lanes) ? "to NVSwitches" : "from GPU to GPU");
  }
  if (request.has("nic-link")) check_nic_link(request, catalogue);
  const std::string between =
      request.has("between-numa") ? request.option("between-numa") : "10 GB/s";
  parts.between = config::as_bandwidth(said("between-numa", between)).bytes_per_s;
  const std::vector<bool> none(matrix.things.size());
  parts.used = used_nics(request, matrix, notes);
  const nccl::System system = system_of_topo(matrix, parts);
  if (matrix.things.front().own_numa && parts.used != none)
    notes += "# assumed: NICs are spread over CPUs in order; GPUs are NUMA nodes of their own\n";
  if (system.cpus.size() > 1)
    notes += fmt::format("# assumed: {} between {} NUMA nodes\n", between, system.cpus.size());
  return notes + config::to_yaml(node_of_nccl(system, {.file = request.file,
                                                       .name = request.option("name"),
                                                       .device = device,
                                                       .source = "nvidia-smi topo -m",
                                                       .nic_link = request.option("nic-link")}));
}

std::string import_nvidia_smi_topo(const ImportRequest& request) {
  return node_of_topo(
      request, interop::read_topo_matrix(config::read_small_file(request.file), request.file));
}

bool recognises_nvidia_smi_topo(std::string_view head, const std::string&) {
  return interop::has_topo_matrix(head);
}

void fuzz_nvidia_smi_topo(std::string_view bytes) {
  const TopoMatrix matrix = interop::read_topo_matrix(bytes, "fuzz.txt");
  node_of_topo({.file = "fuzz.txt", .options = {{"device", {"h100-sxm"}}, {"nic-link", {"ndr"}}}},
               matrix);
}

}  // namespace

const Format format::nvidia_smi_topo{
    .name = "nvidia-smi-topo",
    .summary = "the matrix that 'nvidia-smi topo -m' prints",
    .reading =
        {.makes = "a node, link by link",
         .help =
             R"(The node has its NVLinks, PCIe switches, NUMA nodes and NICs as far as the matrix shows them. NVLinks go
to NVSwitches where the links to all peers are more than a GPU has. What is assumed is a comment of OUT.
)",
         .run = import_nvidia_smi_topo,
         .options = {{"name", "NAME", "what the node is called"},
                     {"device", "DEVICE", "the device that its GPUs are; the matrix does not say"},
                     {"pcie", "LINK", "PCIe of each GPU and NIC (as the device has it)"},
                     {"nvlink", "LINK", "NVLink of a GPU, all lanes (as the device's name says)"},
                     {"between-numa", "RATE", "from one NUMA node to another (10 GB/s)"},
                     {"nic-link", "LINK", "the link of a NIC; without it NICs are left out"},
                     {"nics", "NAME,...",
                      "NICs for training (those on a PCIe switch with a GPU, else all)"}}},
    .recognises = recognises_nvidia_smi_topo,
    .fuzz = fuzz_nvidia_smi_topo};

}  // namespace pipewright::convert
