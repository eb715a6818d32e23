#include <fmt/format.h>

#include <cstdlib>
#include <thread>

#include "base/launcher.hpp"
#include "base/required.hpp"
#include "calibrate/cli/registry.hpp"
#include "calibrate/sweep/spread.hpp"
#include "calibrate/transport/mpi.hpp"
#include "cli/sweep_request.hpp"
#include "study/sweep_point.hpp"

namespace pipewright::cli {
namespace {

constexpr auto watchdog = std::chrono::seconds(30);

/// Nothing is lost: what the store has, it keeps.
[[noreturn]] void give_up(const std::string& reason) {
  fmt::print(stderr, "error: {}\n", reason);
  std::_Exit(1);
}

/// The data that each process has read, and why it could not.
struct Read {
  std::optional<SweepRequest> request;
  std::string error;
};

Read read(const Arguments& arguments, const Environment& environment) {
  try {
    return {read_sweep(arguments, environment), {}};
  } catch (const InputError& error) {
    return {{}, error.what()};
  }
}

/// Tells whether all have read the same; the first says what is wrong, another's error if it has
/// none.
bool agree(transport::Session& session, const Read& own) {
  const std::string text = own.request ? results_depend_on(*own.request) : own.error;
  const auto all = session.exchange(transport::bytes_of(text.data(), text.size()));
  const auto wrong = session.exchange(transport::bytes_of(own.error.data(), own.error.size()));
  for (size_t rank = 0; rank < all.size(); ++rank) {
    if (wrong[rank].empty() && all[rank] == all.front()) continue;
    const std::string error(reinterpret_cast<const char*>(wrong[rank].data()), wrong[rank].size());
    if (session.is_first() && rank == 0) fmt::print(stderr, "{}\n", error);
    if (session.is_first() && rank > 0) {
      fmt::print(stderr, "error: rank {} ({}) {}\n", rank, session.hosts()[rank],
                 error.empty() ? "has another study than rank 0" : "says " + error);
    }
    return false;
  }
  return true;
}

int lead(transport::Session& session, const SweepRequest& request, const Environment& environment,
         int threads) {
  spread::Lead lead(session, request.study, threads);
  int status = 0;
  std::exception_ptr error;
  std::jthread sweeping([&] {
    try {
      status =
          run_sweep(request, environment, [&](auto points, const auto& simulate, const auto& keep) {
            lead.run(points, simulate, keep);
          });
    } catch (...) {
      error = std::current_exception();
    }
    lead.end();
  });
  try {
    lead.serve();
  } catch (const Failure& failure) {
    give_up(failure.what());
  }
  sweeping.join();
  if (error) std::rethrow_exception(error);
  return status;
}

void follow(transport::Session& session, const SweepRequest& request,
            const Environment& environment, int threads) {
  try {
    spread::follow(session, request.study, threads, [&](const StudyPoint& point) {
      return simulated(request.study, point, environment.catalogue, request.common.run);
    });
  } catch (const Failure& failure) {
    give_up(failure.what());
  }
}

int sweep_as_process(const Arguments& arguments, const Environment& environment) {
  transport::keep_termination_pending();
  const auto transport = transport::mpi_transport();
  transport::Session session(*transport, watchdog);
  session.guard(give_up);
  session.describe_by([] { return std::string("was simulating"); });
  const Read own = read(arguments, environment);
  int status = 2;
  std::exception_ptr error;
  if (agree(session, own)) {
    const SweepRequest& request = required(own.request, "all have read the same");
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    const int threads = request.jobs > 0 ? request.jobs : std::max(1, cores);
    try {
      status = session.is_first() ? lead(session, request, environment, threads) : 0;
      if (!session.is_first()) follow(session, request, environment, threads);
    } catch (const std::exception&) {
      error = std::current_exception();  // when the others have heard that it is over
    }
  }
  transport->leave();
  if (error) std::rethrow_exception(error);
  return status;
}

}  // namespace

const Command live_program::command::sweep_command{"sweep", live_program::help_sweep,
                                                   sweep_as_process};

}  // namespace pipewright::cli
