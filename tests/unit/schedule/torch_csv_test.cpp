#include "schedule/torch_csv.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "error_of.hpp"
#include "order_text.hpp"
#include "schedule/kinds/kinds.hpp"

namespace pipewright::schedule {
namespace {

Schedule read(std::string_view text) { return read_torch_csv(text, "orders.csv"); }
std::string error_of_reading(std::string_view text) {
  return test::error_of([&] { read(text); });
}

TEST(TorchCsv, a_row_is_a_rank_and_idle_cells_are_skipped) {
  const Schedule s = read("0F0,0F1,,0B0,0B1\n,1F0,1B0,1F1,1B1,\n");
  EXPECT_EQ(s.ranks(), 2);
  EXPECT_EQ(s.stages, 2);
  EXPECT_EQ(s.micro_batches, 2);
  EXPECT_EQ(s.step_every, 2);
  EXPECT_TRUE(s.synchronous);
  EXPECT_EQ(test::order_text(s.order[0]), "0F0 0F1 0B0 0B1");
  EXPECT_EQ(test::order_text(s.order[1]), "1F0 1B0 1F1 1B1");
}

TEST(TorchCsv, spaces_line_ends_and_a_byte_order_mark_do_not_matter) {
  EXPECT_EQ(read("\xEF\xBB\xBF 0F0 , 0B0\r\n1F0,1B0\r\n\r\n").order,
            read("0F0,0B0\n1F0,1B0").order);
}

TEST(TorchCsv, today_i_is_the_input_gradient_and_b_the_full_backward) {
  const Schedule s = read("0F0,0F1,0I0,0W0,0B1\n");
  EXPECT_EQ(test::order_text(s.order[0]), "0F0 0F1 0I0 0W0 0B1");
}

TEST(TorchCsv, formerly_b_was_the_input_gradient_and_bw_the_full_backward) {
  EXPECT_EQ(test::order_text(read("0F0,0F1,0B0,0W0,0BW1\n").order[0]), "0F0 0F1 0I0 0W0 0B1");
  EXPECT_EQ(test::order_text(read("0F0,0B0,0W0\n").order[0]), "0F0 0I0 0W0") << "W without I";
  EXPECT_EQ(test::order_text(read("0F0,0BW0\n").order[0]), "0F0 0B0") << "BW alone";
  EXPECT_EQ(test::order_text(read("0F0,0B0\n").order[0]), "0F0 0B0") << "nothing old about it";
}

TEST(TorchCsv, notations_do_not_mix) {
  EXPECT_EQ(error_of_reading("0F0,0I0,0W0\n1F0,1BW0\n"),
            "orders.csv:2:5: error: BW belongs to the old notation (B: input gradient, BW: full "
            "backward), but this file has I as well, which belongs to the new one (I: input "
            "gradient, B: full backward)");
}

TEST(TorchCsv, a_pair_is_a_forward_and_a_backward) {
  const Schedule s = read("0F0,(0F1;0B0)OVERLAP_F_B,( 0F2 ; 0I1 )OVERLAP_F_B,0W1,0B2\n");
  EXPECT_EQ(test::order_text(s.order[0]), "0F0 (0F1 0B0) (0F2 0I1) 0W1 0B2");
  for (const char* wrong : {"(0F1)OVERLAP_F_B", "(0F1;0B0)", "(0F1;0B0;0F2)OVERLAP_F_B",
                            "(0B0;0F1)OVERLAP_F_B", "(0F0;0W0)OVERLAP_F_B", "(0F1;0B0)OVERLAP_F_B1",
                            "(0F1;0B0", "((0F1;0B0)OVERLAP_F_B)", "()OVERLAP_F_B", "("}) {
    EXPECT_EQ(error_of_reading(std::string("0F0,") + wrong),
              std::string("orders.csv:1:5: error: '") + wrong +
                  "' must be an action such as 2F0, 2B0, 2I0 or 2W0 (stage, pass, micro-batch), a "
                  "pair such as (2F5;5B1)OVERLAP_F_B, or empty");
  }
}

TEST(TorchCsv, communication_is_accepted_and_left_out) {
  const Schedule s = read(
      "0UNSHARD,0F0,0SEND_F0,0RECV_B0,0B0,0RESHARD,0REDUCE_GRAD\n"
      "1UNSHARD,1RECV_F0,1F0,1B0,1SEND_B0,1REDUCE_GRAD,1RESHARD\n");
  EXPECT_EQ(test::order_text(s.order[0]), "0F0 0B0");
  EXPECT_EQ(test::order_text(s.order[1]), "1F0 1B0");
}

TEST(TorchCsv, what_is_no_action_is_named_at_its_column) {
  for (const char* wrong :
       {"F0", "0F", "0X0", "0f0", "-1F0", "0F-1", "0F0 0B0", "0SEND_F", "0SEND0", "0F0.1",
        "0F99999999999999999999", "0", "99999999999F0", "0UNSHARDx"}) {
    EXPECT_EQ(error_of_reading(std::string("0F0,  ") + wrong + " ,0B0"),
              std::string("orders.csv:1:7: error: '") + wrong +
                  "' must be an action such as 2F0, 2B0, 2I0 or 2W0 (stage, pass, micro-batch), a "
                  "pair such as (2F5;5B1)OVERLAP_F_B, or empty");
  }
}

TEST(TorchCsv, a_cell_is_shown_short_and_without_control_characters) {
  const std::string message = error_of_reading("0F0,\x1b[31m" + std::string(1000, 'x'));
  EXPECT_NE(message.find("'?[31mxxx"), std::string::npos) << message;
  EXPECT_LT(message.size(), 300u);
}

TEST(TorchCsv, an_empty_file_and_an_idle_rank_are_refused) {
  EXPECT_EQ(error_of_reading(""), "orders.csv:1:1: error: is empty; every row is a rank");
  EXPECT_EQ(error_of_reading("\n\n \r\n"), "orders.csv:1:1: error: is empty; every row is a rank");
  EXPECT_EQ(error_of_reading("0F0,0B0\n,,\n1F0,1B0\n"),
            "orders.csv:2:1: error: rank 1 has nothing to do; every row is a rank");
}

TEST(TorchCsv, a_mistyped_number_is_named_before_anything_is_sized_by_it) {
  EXPECT_EQ(error_of_reading("0F0,0F999999999,0B0,0B1\n"),
            "orders.csv:1:5: error: 0F1 is missing, though this is micro-batch 999999999");
  EXPECT_EQ(error_of_reading("0F0,0B0\n2000000000F0,1B0\n"),
            "orders.csv:2:1: error: 1F0 is missing, though this is stage 2000000000");
}

TEST(TorchCsv, a_mistake_of_the_order_is_named_at_its_cell) {
  EXPECT_EQ(error_of_reading("0F0,0F0,0B0\n"),
            "orders.csv:1:5: error: 0F0 is given twice, both times on rank 0");
  EXPECT_EQ(
      error_of_reading("0F0,0F1,0B1\n"),
      "orders.csv:1:1: error: stage 0 never does B of micro-batch 0: 1 of 2 B are done on rank 0");
  EXPECT_EQ(error_of_reading("0F0,0I0\n"),
            "orders.csv:1:5: error: stage 0 never does W of micro-batch 0: 0 of 1 W are done");
  EXPECT_EQ(error_of_reading("0B0,0F0\n"),
            "orders.csv:1:1: error: 0B0 must come after 0F0 on the same rank");
  EXPECT_EQ(error_of_reading("0F0,1F0\n1B0,0B0\n"),
            "orders.csv:2:5: error: 0B0 must come after 0F0 on the same rank");
  EXPECT_EQ(error_of_reading("0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1\n"),
            "orders.csv:1:5: error: the order cannot run: rank 0 waits at 0B0 for 1B0 of rank 1, "
            "which waits in turn");
}

TEST(TorchCsv, two_ranks_may_hold_a_stage_for_different_micro_batches) {
  const Schedule s = read("0F0,1F1,1B1,0B0\n1F0,0F1,1B0,0B1\n");
  EXPECT_EQ(s.stages, 2);
  EXPECT_EQ(s.chunks(), 1);
}

TEST(TorchCsv, is_written_as_torch_reads_it) {
  const Schedule s =
      build({.ranks = 2, .micro_batches = 2, .iterations = 3}, config::scalar("1f1b"));
  EXPECT_EQ(write_torch_csv(s, {}), "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n") << "one iteration";
  const std::string pairs = "0F0,(0F1;0I0)OVERLAP_F_B,0W0,0B1\n";
  EXPECT_EQ(write_torch_csv(read(pairs), {}), pairs);
}

TEST(TorchCsv, has_no_token_slices) {
  const Schedule s = build({.ranks = 2, .micro_batches = 2}, config::scalar("terapipe"));
  EXPECT_THROW(write_torch_csv(s, {}), Misfit);
}

class TorchCsvFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / "pipewright_torch_csv_test";
    std::filesystem::create_directory(folder_);
    std::ofstream(folder_ / "orders.csv") << "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// A schedule named in a file of the same folder.
  config::Value named(const char* spec) const {
    return config::parse(spec, (folder_ / "experiment.yaml").string());
  }
  std::filesystem::path folder_;
};

TEST_F(TorchCsvFile, is_a_schedule_by_its_name_seen_from_the_file_that_names_it) {
  const Schedule s =
      build({.ranks = 2, .micro_batches = 2, .iterations = 2}, named("torch-csv:orders.csv"));
  EXPECT_EQ(s.order,
            build({.ranks = 2, .micro_batches = 2, .iterations = 2}, config::scalar("1f1b")).order);
  EXPECT_EQ(build({.ranks = 2, .micro_batches = 2}, named("{name: torch-csv:orders.csv}")).stages,
            2);
}

TEST_F(TorchCsvFile, says_itself_what_the_shape_leaves_open) {
  const Schedule s = build({.ranks = 0, .micro_batches = 0}, named("torch-csv:orders.csv"));
  EXPECT_EQ(s.ranks(), 2);
  EXPECT_EQ(s.micro_batches, 2);
}

TEST_F(TorchCsvFile, must_agree_with_the_shape) {
  const auto message = [&](int ranks, int micro_batches) {
    try {
      build({.ranks = ranks, .micro_batches = micro_batches}, named("torch-csv:orders.csv"));
    } catch (const Misfit& misfit) {
      return misfit.message();
    }
    return std::string("no misfit");
  };
  EXPECT_EQ(message(4, 2), "the file has 2 rows, one a rank, the experiment 4");
  EXPECT_EQ(message(2, 8), "the file has 2 micro-batches, the experiment 8");
}

TEST_F(TorchCsvFile, is_reported_where_it_is_named_if_it_cannot_be_read) {
  const auto error = [&](const char* spec) {
    return test::error_of(
        [&] { build({.ranks = 2, .micro_batches = 2}, config::parse(spec, "e.yaml")); });
  };
  EXPECT_EQ(error("torch-csv:absent.csv"), "e.yaml:1:1: error: cannot read file 'absent.csv'");
  EXPECT_EQ(error("'torch-csv:'"), "e.yaml:1:1: error: must name a file, as torch-csv:orders.csv");
  EXPECT_EQ(error("{name: torch-csv:a.csv, virtual: 2}"),
            "e.yaml:1:25: error: unknown key 'virtual'; torch-csv has: name");
}

}  // namespace
}  // namespace pipewright::schedule
