// A device that runs behind its host as a GPU does, but on the CPU: what is put on a stream runs
// when somebody waits for it, streams take turns at random, and memory is handed out again under
// the CUDA backend's rules. Fresh memory is NaN. Numbers come out right only if everything waits
// for what it needs.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <thread>

#include "base/error.hpp"
#include "kernels/cuda/free_blocks.hpp"
#include "kernels/kernels.hpp"
#include "kernels/streams.hpp"

namespace pipewright::test {

class DeferredDevice final : public kernels::Kernels, public kernels::Streams {
 public:
  using Tensor = kernels::Tensor;
  /// Runs once it returns true; until then what is behind it waits.
  using Command = std::function<bool()>;

  explicit DeferredDevice(unsigned seed) : turns_(seed) {}

  void put(Command command) { lanes_[selected_].queue.push_back(std::move(command)); }

  // --- streams ---
  void select(size_t stream, size_t) override {
    selected_ = stream;
    pool_->now = {stream, lanes_[stream].epoch + 1};
  }
  void mark(size_t mark) override {
    Mark& m = marks_[mark];
    const uint64_t recorded = ++m.recorded;
    put([&m, recorded] {
      m.reached = recorded;
      m.time = Clock::now();
      return true;
    });
    m.at = {selected_, ++lanes_[selected_].epoch};
    pool_->now = {selected_, m.at.epoch + 1};
  }
  void wait_for(size_t mark) override {
    ASSERT_TRUE(marks_.contains(mark)) << "a device would not wait for what is not there";
    put([&m = marks_[mark], recorded = marks_[mark].recorded] { return m.reached >= recorded; });
  }
  void reach(size_t mark) override {
    run_until([this, mark] { return reached(mark); });
  }
  bool reached(size_t mark) override {
    for (int turn = 0; turn < 64 && step(); ++turn) {
    }
    const Mark& m = marks_.at(mark);
    if (m.reached < m.recorded) return false;
    pool_->free.ended(m.at.stream, m.at.epoch);
    return true;
  }
  void spin(Time) override {}
  void drain() override { synchronize(); }
  Time between(size_t from, size_t to) override {
    const auto time = marks_.at(to).time - marks_.at(from).time;
    return nanoseconds(std::chrono::nanoseconds(time).count());
  }

  // --- memory ---
  std::shared_ptr<float> allocate(int64_t elements) override {
    const size_t bytes = kernels::cuda::rounded_size(static_cast<size_t>(elements) * sizeof(float));
    auto* block = static_cast<float*>(pool_->free.take(bytes, pool_->now.stream));
    if (!block) {
      pool_->blocks.push_back(std::make_unique<float[]>(bytes / sizeof(float)));
      block = pool_->blocks.back().get();
    }
    put([block, bytes] {
      std::fill_n(block, bytes / sizeof(float), std::numeric_limits<float>::quiet_NaN());
      return true;
    });
    return {block,
            [pool = pool_, bytes](float* memory) { pool->free.put(bytes, memory, pool->now); }};
  }
  void upload(std::span<const float> from, const Tensor& to) override {
    put([this, numbers = std::vector<float>(from.begin(), from.end()), to] {
      cpu_->upload(numbers, to);
      return true;
    });
  }
  void download(const Tensor& from, std::span<float> to) override {
    bool is_done = false;
    put([this, from, to, &is_done] {
      cpu_->download(from, to);
      return is_done = true;
    });
    run_until([&] { return is_done; });
  }
  void synchronize() override {
    run_until([this] {
      while (step()) {
      }
      for (const auto& [stream, lane] : lanes_)
        if (!lane.queue.empty()) return false;
      return true;
    });
    for (auto& [stream, lane] : lanes_) pool_->free.ended(stream, ++lane.epoch);
    pool_->now = {selected_, lanes_[selected_].epoch + 1};
  }

  // --- kernels, one after the other as kernels.hpp has them ---
  void zero(const Tensor& to) override { later(&Kernels::zero, to); }
  void copy(const Tensor& a, const Tensor& b) override { later(&Kernels::copy, a, b); }
  void add(double f, const Tensor& a, const Tensor& b) override { later(&Kernels::add, f, a, b); }
  void gelu(const Tensor& x, const Tensor& y) override { later(&Kernels::gelu, x, y); }
  void gelu_gradient(const Tensor& x, const Tensor& dy, const Tensor& dx) override {
    later(&Kernels::gelu_gradient, x, dy, dx);
  }
  void relu(const Tensor& x, const Tensor& y) override { later(&Kernels::relu, x, y); }
  void relu_gradient(const Tensor& y, const Tensor& dy, const Tensor& dx) override {
    later(&Kernels::relu_gradient, y, dy, dx);
  }
  void multiply(const Tensor& a, Form af, const Tensor& b, Form bf, const Tensor& c,
                bool accumulate) override {
    later(&Kernels::multiply, a, af, b, bf, c, accumulate);
  }
  void multiply_batched(int64_t batch, const Tensor& a, Form af, const Tensor& b, Form bf,
                        const Tensor& c, bool accumulate) override {
    later(&Kernels::multiply_batched, batch, a, af, b, bf, c, accumulate);
  }
  void add_bias(const Tensor& bias, const Tensor& y) override {
    later(&Kernels::add_bias, bias, y);
  }
  void add_rows(const Tensor& dy, const Tensor& db) override { later(&Kernels::add_rows, dy, db); }
  void layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, const Tensor& y,
                  const Tensor& statistics) override {
    later(&Kernels::layer_norm, x, gain, bias, y, statistics);
  }
  void layer_norm_input_gradient(const Tensor& x, const Tensor& gain, const Tensor& statistics,
                                 const Tensor& dy, const Tensor& dx) override {
    later(&Kernels::layer_norm_input_gradient, x, gain, statistics, dy, dx);
  }
  void layer_norm_weight_gradient(const Tensor& x, const Tensor& statistics, const Tensor& dy,
                                  const Tensor& d_gain, const Tensor& d_bias) override {
    later(&Kernels::layer_norm_weight_gradient, x, statistics, dy, d_gain, d_bias);
  }
  void rms_norm(const Tensor& x, const Tensor& gain, const Tensor& y, const Tensor& i) override {
    later(&Kernels::rms_norm, x, gain, y, i);
  }
  void rms_norm_input_gradient(const Tensor& x, const Tensor& gain, const Tensor& inverse,
                               const Tensor& dy, const Tensor& dx) override {
    later(&Kernels::rms_norm_input_gradient, x, gain, inverse, dy, dx);
  }
  void rms_norm_weight_gradient(const Tensor& x, const Tensor& inverse, const Tensor& dy,
                                const Tensor& d_gain) override {
    later(&Kernels::rms_norm_weight_gradient, x, inverse, dy, d_gain);
  }
  void swiglu(const Tensor& gate, const Tensor& up, const Tensor& y) override {
    later(&Kernels::swiglu, gate, up, y);
  }
  void swiglu_gradient(const Tensor& gate, const Tensor& up, const Tensor& dy, const Tensor& d_gate,
                       const Tensor& d_up) override {
    later(&Kernels::swiglu_gradient, gate, up, dy, d_gate, d_up);
  }
  void rotate(const kernels::RotaryShape& shape, Turn turn, const Tensor& x,
              const Tensor& y) override {
    later(&Kernels::rotate, shape, turn, x, y);
  }
  void dropout_add(const kernels::Dropout& dropout, const Tensor& x, const Tensor& residual,
                   const Tensor& y) override {
    later(&Kernels::dropout_add, dropout, x, residual, y);
  }
  void dropout_gradient(const kernels::Dropout& dropout, const Tensor& dy,
                        const Tensor& dx) override {
    later(&Kernels::dropout_gradient, dropout, dy, dx);
  }
  void softmax(const Tensor& x, const Tensor& y) override { later(&Kernels::softmax, x, y); }
  void softmax_gradient(const Tensor& y, const Tensor& dy, const Tensor& dx) override {
    later(&Kernels::softmax_gradient, y, dy, dx);
  }
  void attention(const kernels::AttentionShape& shape, const Tensor& q, const Tensor& keys,
                 const Tensor& values, const Tensor& y, const Tensor& log_sums) override {
    later(&Kernels::attention, shape, q, keys, values, y, log_sums);
  }
  void attention_gradient(const kernels::AttentionShape& shape, const Tensor& q, const Tensor& keys,
                          const Tensor& values, const Tensor& y, const Tensor& log_sums,
                          const Tensor& dy, const Tensor& dq, const Tensor& d_keys,
                          const Tensor& d_values) override {
    later(&Kernels::attention_gradient, shape, q, keys, values, y, log_sums, dy, dq, d_keys,
          d_values);
  }
  void unfold(const kernels::WindowShape& shape, const Tensor& x, const Tensor& patches) override {
    later(&Kernels::unfold, shape, x, patches);
  }
  void fold(const kernels::WindowShape& shape, const Tensor& patches, const Tensor& dx) override {
    later(&Kernels::fold, shape, patches, dx);
  }
  void max_pool(const kernels::WindowShape& shape, const Tensor& x, const Tensor& y) override {
    later(&Kernels::max_pool, shape, x, y);
  }
  void max_pool_gradient(const kernels::WindowShape& shape, const Tensor& x, const Tensor& dy,
                         const Tensor& dx) override {
    later(&Kernels::max_pool_gradient, shape, x, dy, dx);
  }
  void lstm_cell(const Tensor& gates, const Tensor& c_before, const Tensor& c,
                 const Tensor& y) override {
    later(&Kernels::lstm_cell, gates, c_before, c, y);
  }
  void lstm_cell_gradient(const Tensor& gates, const Tensor& c_before, const Tensor& c,
                          const Tensor& dy, const Tensor& dc, const Tensor& d_gates) override {
    later(&Kernels::lstm_cell_gradient, gates, c_before, c, dy, dc, d_gates);
  }
  void gather_rows(std::span<const int32_t> tokens, const Tensor& table, const Tensor& y) override {
    later([=, this, own = std::vector(tokens.begin(), tokens.end())] {
      cpu_->gather_rows(own, table, y);
    });
  }
  void scatter_rows(std::span<const int32_t> tokens, const Tensor& dy,
                    const Tensor& d_table) override {
    later([=, this, own = std::vector(tokens.begin(), tokens.end())] {
      cpu_->scatter_rows(own, dy, d_table);
    });
  }
  void cross_entropy(const Tensor& logits, std::span<const int32_t> targets, double scale,
                     const Tensor& d_logits, const Tensor& loss) override {
    later([=, this, own = std::vector(targets.begin(), targets.end())] {
      cpu_->cross_entropy(logits, own, scale, d_logits, loss);
    });
  }
  void momentum_step(double rate, double momentum, const Tensor& gradient, const Tensor& velocity,
                     const Tensor& weights) override {
    later(&Kernels::momentum_step, rate, momentum, gradient, velocity, weights);
  }
  void adam_step(const kernels::AdamStep& step, const Tensor& gradient, const Tensor& first,
                 const Tensor& second, const Tensor& weights) override {
    later(&Kernels::adam_step, step, gradient, first, second, weights);
  }
  void adam_direction(const kernels::AdamStep& step, const Tensor& first, const Tensor& second,
                      const Tensor& to) override {
    later(&Kernels::adam_direction, step, first, second, to);
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Lane {
    std::deque<Command> queue;
    uint64_t epoch = 0;
  };
  struct Mark {
    uint64_t recorded = 0, reached = 0;
    kernels::cuda::LastUse at;
    Clock::time_point time;
  };
  struct Pool {
    kernels::cuda::FreeBlocks free;
    kernels::cuda::LastUse now;
    std::vector<std::unique_ptr<float[]>> blocks;
  };

  template <class F>
  void later(F call) {
    put([call] {
      call();
      return true;
    });
  }
  template <class Part, class... A>
  void later(void (Part::*kernel)(A...), std::type_identity_t<std::decay_t<A>>... given) {
    later([=, this] { ((*cpu_).*kernel)(given...); });
  }

  /// The next command of any stream that can run; false where none can.
  bool step() {
    if (lanes_.empty()) return false;
    auto lane = std::next(lanes_.begin(), static_cast<std::ptrdiff_t>(turns_() % lanes_.size()));
    for (size_t tried = 0; tried < lanes_.size(); ++tried, ++lane) {
      if (lane == lanes_.end()) lane = lanes_.begin();
      std::deque<Command>& queue = lane->second.queue;
      if (queue.empty() || !queue.front()()) continue;
      queue.pop_front();
      return true;
    }
    return false;
  }

  void run_until(const std::function<bool()>& is_over) {
    const auto end = Clock::now() + std::chrono::seconds(50);
    while (!is_over()) {
      if (step()) continue;
      if (Clock::now() > end) throw Failure("a device waits for ever");
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

  std::unique_ptr<kernels::Kernels> cpu_ = kernels::cpu_kernels();
  std::mt19937 turns_;
  std::map<size_t, Lane> lanes_;
  std::map<size_t, Mark> marks_;
  size_t selected_ = 0;
  std::shared_ptr<Pool> pool_ = std::make_shared<Pool>();
};

}  // namespace pipewright::test
