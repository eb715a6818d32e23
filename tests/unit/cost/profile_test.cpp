#include "cost/profile.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "catalogue_devices.hpp"
#include "cost/profile_cost.hpp"
#include "error_of.hpp"
#include "products.hpp"
#include "temporary_folder.hpp"

namespace pipewright {
namespace {

using test::catalogue_device;
using test::compiled_in;
using test::error_of;
using test::product;

/// As in a benchmark of milliseconds.
ProfileCost benchmark(const char* name) {
  Profile profile = *profile_of(catalogue_device(name), compiled_in());
  profile.steady = 1;
  profile.steady_by_type.clear();
  profile.attention_rates.steady.reset();
  return ProfileCost(std::move(profile));
}

TEST(Profile, the_shipped_ones_are_measured_and_say_how_far_off_they_are) {
  for (const char* name : {"a100-sxm-80g", "h100-sxm", "h200-sxm", "b200-sxm", "gb200"}) {
    const std::optional<Profile> profile = profile_of(catalogue_device(name), compiled_in());
    ASSERT_TRUE(profile) << name;
    EXPECT_FALSE(profile->source.empty());
    ASSERT_FALSE(profile->gemm.empty());
    ASSERT_TRUE(profile->attention);
    EXPECT_GT(profile->gemm[0].model.points().count(), 4000);
    EXPECT_GT(profile->gemm[0].held_out.at(0).count, 200);
    EXPECT_LT(profile->gemm[0].held_out.at(0).median, 0.05);
    EXPECT_LT(profile->attention->held_out.at(0).median, 0.04);
  }
}

// Of all experts on one device, forward, bf16: MooreThreads/SimuMax e691807a7e,
// configs/system/b200_bf16_ceperm.json (group_matmul, fraction of 2250 TFLOP/s).
TEST(Profile, a_grouped_product_takes_what_was_measured_within_a_quarter) {
  struct Grouped {
    int64_t experts, m, n, k;
    double fraction;
  };
  const Device b200 = catalogue_device("b200-sxm");
  const ProfileCost cost(*profile_of(b200, compiled_in()));
  for (const auto& [experts, m, n, k, fraction] :
       {Grouped{40, 616, 3072, 5120, 0.4618}, Grouped{40, 616, 5120, 1536, 0.3258},
        Grouped{64, 512, 4096, 7168, 0.3670}, Grouped{64, 512, 7168, 2048, 0.4274},
        Grouped{20, 1232, 3072, 5120, 0.5134}, Grouped{20, 1232, 5120, 1536, 0.3974},
        Grouped{32, 1024, 4096, 7168, 0.4571}, Grouped{32, 1024, 7168, 2048, 0.3842}}) {
    Work one = product(DType::bf16, m, n, k);
    Work all = one;
    all.shape[0] = experts;
    all.in_turn = true;
    all.flops *= static_cast<double>(experts);
    all.read = experts * all.read;
    all.written = experts * all.written;
    const double seconds = all.flops / (fraction * 2250e12);
    EXPECT_NEAR(in_seconds(cost.duration(all, b200)) / seconds, 1, 0.25) << m << ' ' << n;
    EXPECT_EQ(cost.duration(all, b200), experts * cost.duration(one, b200));
  }
}

struct MeasuredProduct {
  const char* device;
  DType dtype;
  int64_t m, n, k;
  double seconds;
};

// Medians of repeated products: github.com/ai-dynamo/aiconfigurator 095f58a (Apache-2.0).
const MeasuredProduct measured_products[] = {
    {"a100-sxm-80g", DType::bf16, 2048, 12288, 3072, 616.4e-6},
    {"a100-sxm-80g", DType::bf16, 8192, 5120, 5120, 1678e-6},
    {"h100-sxm", DType::bf16, 256, 4096, 4096, 18.71e-6},
    {"h100-sxm", DType::bf16, 4096, 3072, 4096, 138.4e-6},
    {"h100-sxm", DType::bf16, 8192, 7168, 8192, 1172.9e-6},
    {"b200-sxm", DType::bf16, 8192, 5120, 5120, 283.9e-6},
};

TEST(Profile, it_repeats_what_was_measured_within_a_tenth) {
  for (const MeasuredProduct& point : measured_products) {
    const Work work = product(point.dtype, point.m, point.n, point.k);
    const ProfileCost cost = benchmark(point.device);
    const Device at = catalogue_device(point.device);
    EXPECT_NEAR(in_seconds(cost.duration(work, at)) / point.seconds, 1, 0.1)
        << point.device << ' ' << point.m;
    EXPECT_EQ(cost.trust(work, at).basis, Basis::measured);
  }
}

TEST(Profile, products_in_fp16_take_the_time_of_those_in_bf16) {
  const ProfileCost cost = benchmark("h100-sxm");
  EXPECT_EQ(cost.duration(product(DType::fp16, 4096, 4096, 4096), catalogue_device("h100-sxm")),
            cost.duration(product(DType::bf16, 4096, 4096, 4096), catalogue_device("h100-sxm")));
}

TEST(Profile, a_shape_beyond_the_measured_ones_is_flagged) {
  const ProfileCost cost = benchmark("a100-sxm-80g");
  const Device a100 = catalogue_device("a100-sxm-80g");
  // Products up to 8192 rows were measured; 65536 take 16 times what 4096 take, or a little less.
  const Work far = product(DType::bf16, 65536, 4096, 4096);
  const Work near = product(DType::bf16, 4096, 4096, 4096);
  EXPECT_EQ(cost.trust(far, a100).basis, Basis::extrapolated);
  EXPECT_EQ(cost.trust(near, a100).basis, Basis::measured);
  EXPECT_NEAR(in_seconds(cost.duration(far, a100)) / in_seconds(cost.duration(near, a100)), 16,
              1.6);
}

TEST(Profile, what_nobody_measured_comes_from_the_data_sheet) {
  const Work norm{.kernel = Kernel::norm, .dtype = DType::bf16, .read = MiB, .written = MiB};
  const Device a100 = catalogue_device("a100-sxm-80g");
  const ProfileCost cost = benchmark("a100-sxm-80g");
  EXPECT_EQ(cost.trust(norm, a100).basis, Basis::datasheet);
  EXPECT_EQ(cost.duration(norm, a100), Roofline().duration(norm, a100));
}

TEST(Profile, a_long_run_takes_longer_than_a_benchmark_by_the_steady_fraction) {
  const Work work = product(DType::bf16, 8192, 8192, 8192);
  const Device h100 = catalogue_device("h100-sxm");
  Profile profile = *profile_of(h100, compiled_in());
  profile.steady = 0.5;
  const double slow = in_seconds(ProfileCost(profile).duration(work, h100));
  const double fast = in_seconds(benchmark("h100-sxm").duration(work, h100));
  EXPECT_NEAR(slow / fast, 2, 0.02);  // bound by arithmetic
}

// P = 130 W + c f^3 at a limit of 700 W: an H100's clock in layers that train
// (workloads/validation/README.md). Long products follow the clock.
TEST(Profile, the_same_chip_under_another_limit_runs_at_the_clock_that_it_leaves) {
  const Work work = product(DType::bf16, 16384, 16384, 16384);
  const ProfileCost cost(*profile_of(catalogue_device("h100-sxm"), compiled_in()));
  const Device h100 = catalogue_device("h100-sxm");
  const auto slower = [&](double watts) {
    Device capped = h100;
    capped.operating.watts = watts;
    return in_seconds(cost.duration(work, capped)) / in_seconds(cost.duration(work, h100));
  };
  EXPECT_NEAR(slower(500), std::cbrt(570.0 / 370), 0.01);
  EXPECT_NEAR(slower(350), std::cbrt(570.0 / 220), 0.01);
  EXPECT_EQ(slower(700), 1);
  EXPECT_LT(slower(900), 1);
  EXPECT_EQ(slower(5000), slower(4000)) << "no chip exceeds what matrix units reach";
  double before = slower(1);
  for (double watts = 10; watts < 1200; watts += 10) {
    EXPECT_LE(slower(watts), before) << watts;
    before = slower(watts);
  }
}

TEST(Profile, a_type_may_keep_another_share_of_its_rate_than_the_rest) {
  const Profile b200 = *profile_of(catalogue_device("b200-sxm"), compiled_in());
  // 2 x 16384 x 57344 x 8192 FLOPs at 0.4824 of 2250 TFLOP/s (MooreThreads/SimuMax, B200).
  const Work work = product(DType::bf16, 16384, 57344, 8192);
  const double measured = work.flops / (0.4824 * 2250e12);
  EXPECT_NEAR(in_seconds(ProfileCost(b200).duration(work, catalogue_device("b200-sxm"))) / measured,
              1, 0.05);
  EXPECT_EQ(b200.steady_of(DType::fp16), b200.steady_of(DType::bf16)) << "the same kernels";
  EXPECT_EQ(b200.steady_of(DType::fp8), steady_fraction) << "nobody measured it";
}

TEST(Profile, causal_attention_takes_the_measured_time_or_less_without_the_cache_s_copies) {
  // The same source: H100, batch 1, 8192 tokens, 32 heads of 128: 1163.3 us with a copy of keys and
  // values, which arithmetic hides at this length.
  const double rows = 8192.0 * 32 * 128;
  const Work work{.kernel = Kernel::attention,
                  .dtype = DType::bf16,
                  .flops = 2 * rows * 8193,
                  .read = Bytes{static_cast<int64_t>(6 * rows)},
                  .written = Bytes{static_cast<int64_t>(2 * rows)},
                  .shape = {1, 32, 8192, 128}};
  const double time =
      in_seconds(benchmark("h100-sxm").duration(work, catalogue_device("h100-sxm")));
  EXPECT_LT(time, 1163.3e-6 * 1.05);
  EXPECT_GT(time, 1163.3e-6 * 0.85);
}

// Causal attention of 4096 tokens forward, or backward with 2.5 times the work, alone on a B200
// (MooreThreads/SimuMax e691807a7e, configs/system/b200_bf16_ceperm.json: sdp_fwd and sdp_bwd at
// 64 heads of 128, and 128 heads of 192 and 128, as fractions of 2250 TFLOP/s with a full square).
TEST(Profile, attention_of_training_on_blackwell_takes_what_was_measured_within_a_fifth) {
  struct Case {
    int64_t heads, key_width, value_width;
    Direction direction;
    double fraction;
  };
  for (const auto& [heads, key_width, value_width, direction, fraction] :
       {Case{64, 128, 128, Direction::forward, 0.8715},
        Case{64, 128, 128, Direction::input_gradient, 0.7294},
        Case{128, 192, 128, Direction::forward, 0.8306},
        Case{128, 192, 128, Direction::input_gradient, 0.6426}}) {
    const double square = 2 * 4096.0 * 4096 * static_cast<double>(heads);
    const double passes = direction == Direction::forward ? 1 : 2.5;
    const auto keys = static_cast<double>(key_width), values = static_cast<double>(value_width);
    const double all = square * (keys + values) * passes;
    const double own = direction == Direction::forward ? keys + values : 3 * keys + 2 * values;
    const Work work{.kernel = Kernel::attention,
                    .dtype = DType::bf16,
                    .direction = direction,
                    .flops = square / 2 * own,
                    .read = Bytes{6 * 4096 * heads * key_width},
                    .written = Bytes{2 * 4096 * heads * value_width},
                    .shape = {1, heads, 4096, key_width}};
    const double time =
        in_seconds(benchmark("b200-sxm").duration(work, catalogue_device("b200-sxm")));
    EXPECT_NEAR(time / (all / (fraction * 2250e12)), 1, 0.2) << key_width << ' ' << passes;
  }
}

TEST(Profile, a_device_that_was_changed_has_none) {
  Device changed = catalogue_device("h100-sxm");
  changed.name += " (changed)";
  EXPECT_FALSE(profile_of(changed, compiled_in()));
  EXPECT_TRUE(profile_of(catalogue_device("a100-sxm-40g"), compiled_in()));  // by the one of 80 GB
}

std::string refusal(const std::string& text) {
  return error_of([&] { read_profile(config::parse(text, "p.yaml"), compiled_in()); });
}

TEST(Profile, what_cannot_be_read_is_refused_where_it_stands) {
  EXPECT_EQ(refusal("schema: pipewright.profile/2\n"),
            "p.yaml:1:9: error: 'pipewright.profile/2' is of another version; this one reads "
            "pipewright.profile/1");
  EXPECT_EQ(refusal("schema: pipewright.profile/1\norigin: measured\ndevice: h101\n"),
            "p.yaml:3:9: error: unknown device 'h101' ('pipewright list devices' lists all)");
  EXPECT_EQ(refusal("schema: pipewright.profile/1\norigin: measured\ndevice: h100-sxm\n"
                    "points: none.points\ngemm: []\n"),
            "p.yaml:4:9: error: cannot read file 'none.points'");
}

}  // namespace
}  // namespace pipewright
