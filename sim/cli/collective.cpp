#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/asked_again.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/registry.hpp"
#include "config/small_file.hpp"
#include "experiment/flow_options.hpp"
#include "interop/nccl_shapes.hpp"
#include "report/csv/collective.hpp"
#include "report/csv/resharding.hpp"
#include "report/json/collective.hpp"
#include "report/json/resharding.hpp"
#include "report/page/collective.hpp"
#include "report/text/collective.hpp"
#include "report/text/resharding.hpp"
#include "traffic/collective_study.hpp"

namespace pipewright::cli {
namespace {

constexpr size_t most_sizes = 100'000;

struct Wanted {
  std::string routing;
  RouteDraws draws;
  Outputs outputs;
  std::string cluster, least, most, step, against, reshard, bytes;
  std::string command;  ///< that asks the same again
  double factor = 2;
  CollectiveQuestion question;
  std::vector<interop::NcclPoint>
      left_out;  ///< of what was measured, as the question is not of them
  options::variables_map given;
};

void read_routing(Wanted& wanted) {
  const bool gives = !wanted.given["queue-pairs"].defaulted() || !wanted.given["seeds"].defaulted();
  if (wanted.routing.empty() && gives)
    throw InputError("--queue-pairs and --seeds go with --routing ecmp");
  if (wanted.routing.empty()) return;
  config::as_choice(config::scalar(wanted.routing), {"ecmp"});
  if (wanted.draws.spreading.queue_pairs < 1 || wanted.draws.spreading.queue_pairs > 1024)
    throw InputError("--queue-pairs must be from 1 to 1024");
  if (wanted.draws.seeds < 1 || wanted.draws.seeds > 10000)
    throw InputError("--seeds must be from 1 to 10000");
  wanted.draws.spreading.how = Spreading::How::hash;
  wanted.question.draws = wanted.draws;
}

Wanted read_options(const Arguments& arguments) {
  Wanted wanted;
  CollectiveQuestion& question = wanted.question;
  options::options_description description;
  add_format(description, wanted.outputs);
  auto add = description.add_options();
  add("cluster", options::value(&wanted.cluster));
  add("kind", options::value(&question.operation)->default_value("all_reduce"));
  add("minbytes,b", options::value(&wanted.least)->default_value("8"));
  add("maxbytes,e", options::value(&wanted.most)->default_value("8G"));
  add("stepfactor,f", options::value(&wanted.factor)->default_value(2));
  add("stepbytes,i", options::value(&wanted.step));
  add("datatype,d", options::value(&question.type)->default_value("float"));
  add("ranks", options::value(&question.ranks)->default_value(0));
  add("against", options::value(&wanted.against));
  add("algorithm", options::value(&question.algorithm));
  add("expand-collectives", options::bool_switch(&question.expand));
  add("routing", options::value(&wanted.routing));
  add("queue-pairs", options::value(&wanted.draws.spreading.queue_pairs)->default_value(1));
  add("seeds", options::value(&wanted.draws.seeds)->default_value(20));
  add("reshard", options::value(&wanted.reshard));
  add("bytes", options::value(&wanted.bytes)->default_value("1GiB"));
  add("json", options::value(&wanted.outputs.json));
  add("csv", options::value(&wanted.outputs.csv));
  add("html", options::value(&wanted.outputs.html));
  add("quiet,q", options::bool_switch(&wanted.outputs.quiet));
  wanted.given = parse(arguments, description, "cluster", 1);
  wanted.command = asked_again("collective", arguments);
  if (wanted.cluster.empty()) throw InputError("collective needs a CLUSTER");
  read_routing(wanted);
  if (!wanted.given["ranks"].defaulted() && question.ranks < 1)
    throw InputError("--ranks must be above zero");
  if (question.expand && question.algorithm.empty())
    throw InputError("--expand-collectives needs --algorithm NAME");
  return wanted;
}

/// "8", "32M" as nccl-tests takes it (2^20), or "32 MB" with a unit.
Bytes size_of(const std::string& text, const char* option) {
  std::string unit = text;
  if (!unit.empty() && std::string_view("KMGT").find(unit.back()) != std::string_view::npos)
    unit += "iB";
  try {
    return config::as_bytes(config::scalar(unit));
  } catch (const InputError&) {
    throw InputError(
        fmt::format("{} '{}' is no size; a right one is 8, 32M or '1 GiB'", option, text));
  }
}

std::vector<Bytes> sizes_of(const Wanted& wanted) {
  const Bytes least = size_of(wanted.least, "--minbytes");
  const Bytes most = size_of(wanted.most, "--maxbytes");
  const Bytes step = wanted.step.empty() ? Bytes{} : size_of(wanted.step, "--stepbytes");
  if (least > most) throw InputError("--minbytes is above --maxbytes");
  if (wanted.step.empty() && !(wanted.factor > 1)) throw InputError("--stepfactor must be above 1");
  if (!wanted.step.empty() && step.count == 0) throw InputError("--stepbytes must be above zero");
  std::vector<Bytes> sizes;
  for (Bytes size = least; size <= most;) {
    sizes.push_back(size);
    if (sizes.size() > most_sizes)
      throw InputError(fmt::format("more than {} sizes: take larger steps", most_sizes));
    const double next = wanted.step.empty()
                            ? std::max(double(size.count) + 1, double(size.count) * wanted.factor)
                            : double(size.count) + double(step.count);
    if (next > double(most.count)) break;
    size = {static_cast<int64_t>(next)};
  }
  return sizes;
}

/// Returns the cluster of an experiment; anything else as it is.
config::Value cluster_in(config::Value document) {
  const config::Value* cluster = document.is_map() ? document.find("cluster") : nullptr;
  return cluster ? config::Value(*cluster) : document;
}

/// A cluster of the catalogue, a node of it by itself, a path, a map, or an experiment with one.
config::Value cluster_value(const std::string& text, const Environment& environment) {
  if (text == "-" && environment.document) return cluster_in(*environment.document);
  if (text.front() == '{') return cluster_in(config::parse(text, "CLUSTER"));
  if (config::is_path(text)) {
    const config::Value document = config::parse_file(text, {"CLUSTER"});
    return document.is_map() && document.find("cluster") ? cluster_in(document)
                                                         : config::scalar(text);
  }
  const auto is_entry = [&](std::string_view kind) {
    return std::ranges::binary_search(environment.catalogue.names(kind), text);
  };
  if (is_entry("clusters") || !is_entry("nodes")) return config::scalar(text);
  config::Value map;
  map.set("node", config::scalar(text));
  return map;
}

/// Returns the measured points. Where the user does not say which, the file's first shape decides.
std::vector<interop::NcclPoint> measured(Wanted& wanted) {
  CollectiveQuestion& question = wanted.question;
  const bool says_kind = !wanted.given["kind"].defaulted();
  std::vector<interop::NcclPoint> points = interop::read_nccl_points(
      config::read_small_file(wanted.against), wanted.against,
      {.operation = says_kind ? question.operation : "", .ranks = question.ranks});
  const std::string held = interop::shapes_text(points);
  const auto keep = [&](auto&& same) {
    const auto others = std::ranges::stable_partition(points, same);
    wanted.left_out.insert(wanted.left_out.end(), others.begin(), others.end());
    points.erase(others.begin(), others.end());
    if (points.empty())
      throw InputError({wanted.against},
                       "holds no times of this operation, ranks and type: it has " + held);
  };
  if (!says_kind) question.operation = points.front().operation;
  keep([&](const interop::NcclPoint& point) { return point.operation == question.operation; });
  if (question.ranks == 0) question.ranks = points.front().ranks;
  keep([&](const interop::NcclPoint& point) { return point.ranks == question.ranks; });
  if (wanted.given["datatype"].defaulted()) question.type = points.front().type;
  keep([&](const interop::NcclPoint& point) { return point.type == question.type; });
  if (wanted.given["minbytes"].defaulted() && wanted.given["maxbytes"].defaulted()) {
    question.sizes.clear();
    for (const interop::NcclPoint& point : points) question.sizes.push_back(point.bytes);
  }
  return points;
}

/// Refuses the options of a collective beside a tensor that changes meshes, for which they mean
/// nothing.
void refuse_beside_reshard(const Wanted& wanted) {
  for (const char* option : {"kind", "minbytes", "maxbytes", "stepfactor", "stepbytes", "datatype",
                             "ranks", "against", "algorithm", "expand-collectives", "routing"}) {
    const auto found = wanted.given.find(option);
    if (found != wanted.given.end() && !found->second.defaulted())
      throw InputError(fmt::format("--{} means nothing beside --reshard", option));
  }
}

class ReshardingOutcome : public Outcome {
 public:
  ReshardingOutcome(resharding::Comparison all, std::string what)
      : all_(std::move(all)), what_(std::move(what)) {}
  Forms forms() const override { return {.csv = true}; }
  void json(std::ostream& out) const override { out << resharding_json(all_, what_); }
  void csv(std::ostream& out) const override { out << resharding_csv(all_, what_); }
  Report report(size_t) const override { return resharding_report(all_, what_); }

 private:
  resharding::Comparison all_;
  std::string what_;
};

class CollectiveOutcome : public ReportedOutcome<CollectiveTable> {
 public:
  CollectiveOutcome(CollectiveTable table, std::string command)
      : ReportedOutcome(std::move(table), collective_report), command_(std::move(command)) {}
  Forms forms() const override { return {.csv = true, .html = true}; }
  void html(std::ostream& out) const override { write_html(value(), command_, out); }

 private:
  std::string command_;
};

std::unique_ptr<Outcome> reshard(const Wanted& wanted, const Environment& environment) {
  refuse_beside_reshard(wanted);
  const resharding::Change change = resharding::read_change(wanted.reshard);
  const Cluster cluster =
      read_cluster(cluster_value(wanted.cluster, environment), environment.catalogue);
  return std::make_unique<ReshardingOutcome>(
      resharding::compare(cluster.topology, change, size_of(wanted.bytes, "--bytes")),
      wanted.reshard);
}

std::unique_ptr<Outcome> tabulate(Wanted wanted, const Environment& environment) {
  if (!wanted.reshard.empty()) return reshard(wanted, environment);
  CollectiveQuestion& question = wanted.question;
  if (question.operation == "alltoall") question.operation = "all_to_all";
  if (question.operation == "sendrecv") question.operation = "send_recv";
  question.sizes = sizes_of(wanted);
  std::vector<interop::NcclPoint> points;
  if (!wanted.against.empty()) points = measured(wanted);
  const config::Value given = cluster_value(wanted.cluster, environment);
  const Cluster cluster =
      read_cluster(question.draws ? with_separate_spines(given, environment.catalogue) : given,
                   environment.catalogue);
  CollectiveTable table = ask(question, cluster, wanted.cluster, environment.catalogue);
  set_against(table, points, cluster);
  table.left_out = interop::shapes_text(wanted.left_out);
  return std::make_unique<CollectiveOutcome>(std::move(table), wanted.command);
}

int collective(const Arguments& arguments, const Environment& environment) {
  const Wanted wanted = read_options(arguments);
  write_outcome(*tabulate(wanted, environment), wanted.outputs);
  return 0;
}

std::unique_ptr<Outcome> ask_collective(const Arguments& arguments,
                                        const Environment& environment) {
  return tabulate(read_options(arguments), environment);
}

std::vector<std::string> clusters_and_nodes(const config::Catalogue& catalogue) {
  std::vector<std::string> names = catalogue.names("clusters");
  const std::vector<std::string> nodes = catalogue.names("nodes");
  names.insert(names.end(), nodes.begin(), nodes.end());
  return names;
}

}  // namespace

const Command command::collective_command{.name = "collective",
                                          .help = help_collective,
                                          .run = collective,
                                          .ask = ask_collective,
                                          .words = clusters_and_nodes};

}  // namespace pipewright::cli
