#include "report/page/drawn.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/page/columns.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::json;

Json json_of(const Drawn& drawn) {
  const std::string text = drawn_json(drawn);
  return text.empty() ? Json::object() : Json::parse('{' + text.substr(1) + '}');
}

Json column_of(std::vector<int32_t> values) { return Json::parse(column_json(values)); }

TEST(DrawnPage, nothing_is_no_member) { EXPECT_EQ(drawn_json({}), ""); }

TEST(DrawnPage, kernels_stand_kind_after_kind) {
  Drawn drawn;
  drawn.kernels = {
      .layers = {"block 0"},
      .names = {"gemm", "norm"},
      .of_type = {{{.layer = 0, .name = 0, .purpose = Purpose::forward, .share = 0.25}},
                  {},
                  {{.layer = -1, .name = 1, .purpose = Purpose::none, .share = 1}}}};
  const Json passes = json_of(drawn).at("passes");
  EXPECT_EQ(passes.at("counts"), column_of({1, 0, 1}));
  EXPECT_EQ(passes.at("layer"), column_of({0, -1}));
  EXPECT_EQ(passes.at("purpose"), column_of({1, 0}));
  EXPECT_EQ(passes.at("share"), column_of({1 << 28, 1 << 30}));
  EXPECT_EQ(passes.at("layers"), Json::parse(R"(["block 0"])"));
}

TEST(DrawnPage, a_cluster_has_its_switches) {
  Drawn drawn;
  drawn.cluster = {
      .nodes = {0, 1},
      .rails = {0, 0},
      .pods = {0, 0},
      .switches = {{.name = "leaf 0", .pod = 0, .rail = 0, .bytes = 8, .busy_fraction = 0.5}}};
  const Json cluster = json_of(drawn).at("cluster");
  EXPECT_EQ(cluster.at("nodes"), column_of({0, 1}));
  EXPECT_EQ(cluster.at("switches").at(0).at("busy_fraction"), Json(0.5));
}

}  // namespace
}  // namespace pipewright
