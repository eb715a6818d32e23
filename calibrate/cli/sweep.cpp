#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "base/launcher.hpp"
#include "base/required.hpp"
#include "base/tell.hpp"
#include "calibrate/cli/registry.hpp"
#include "calibrate/sweep/spread.hpp"
#include "calibrate/transport/mpi.hpp"
#include "cli/sweep_request.hpp"
#include "study/sweep_point.hpp"

namespace pipewright::cli {
namespace {

// The first process goes on without another that it has not heard of for so long; its points are
// then run twice at worst. The others do not go on without the first.
constexpr auto patience_with_others = std::chrono::seconds(10);
constexpr auto patience_with_first = std::chrono::seconds(30);
constexpr auto patience_with_mpi = std::chrono::seconds(10);

/// Ends the process at once: MPI's own end would wait for processes that are gone.
[[noreturn]] void end_process(int status) {
  std::fflush(nullptr);
  std::_Exit(status);
}

/// Nothing is lost: what the store has, it keeps.
[[noreturn]] void give_up(const std::string& reason) {
  tell(
      "error: {}\n"
      "with --store the same command goes on from here; 'mpirun --enable-recovery' lets the "
      "others go on when a process dies\n",
      reason);
  end_process(1);
}

/// Leaves MPI, unless a process that dies meanwhile keeps all waiting.
void leave(transport::Transport& transport, int status) {
  const std::jthread watch([status](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any left;
    std::unique_lock lock(mutex);
    left.wait_for(lock, stop, patience_with_mpi, [] { return false; });
    if (!stop.stop_requested()) end_process(status);
  });
  transport.leave();
}

/// Sends what is still on its way. What is for processes that are gone stays.
void send_the_rest(transport::Session& session) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (!session.sent() && std::chrono::steady_clock::now() < end) session.poll();
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
    if (session.is_first() && rank == 0) tell("{}\n", error);
    if (session.is_first() && rank > 0) {
      tell("error: rank {} ({}) {}\n", rank, session.hosts()[rank],
           error.empty() ? "has another study than rank 0" : "says " + error);
    }
    return false;
  }
  return true;
}

/// What a process has come to, and whether all are still there.
struct Done {
  int status = 0;
  bool complete = true;
  std::exception_ptr error = {};
};

Done lead(transport::Session& session, const SweepRequest& request, const Environment& environment,
          int threads) {
  spread::Lead lead(session, request.study, threads);
  session.go_on_without([&](int rank, const std::string& who) {
    const size_t points = lead.lose(rank);
    tell("lost {}; its {} points go to others\n", who, points);
  });
  Done done;
  std::jthread sweeping([&] {
    try {
      done.status =
          run_sweep(request, environment, [&](auto points, const auto& simulate, const auto& keep) {
            lead.run(points, simulate, keep);
          });
    } catch (...) {
      done.error = std::current_exception();
    }
    lead.end();
  });
  try {
    lead.serve();
  } catch (const Failure& failure) {
    give_up(failure.what());
  }
  sweeping.join();
  done.complete = !lead.has_lost();
  return done;
}

Done follow(transport::Session& session, const SweepRequest& request,
            const Environment& environment, int threads) {
  session.go_on_without([](int, const std::string&) {});
  session.lost_after(patience_with_others);
  try {
    const auto simulate = [&](const StudyPoint& point) {
      return simulated(request.study, point, environment.catalogue, request.common.run);
    };
    return {.complete =
                spread::follow(session, request.study, threads, simulate, [] { end_process(0); })};
  } catch (const Failure& failure) {
    give_up(failure.what());
  }
}

/// Ends the process with what its error would have it say, where some are gone.
[[noreturn]] void end_without_others(transport::Session& session, const Done& done) {
  send_the_rest(session);
  try {
    if (done.error) std::rethrow_exception(done.error);
  } catch (const InputError& error) {
    tell("{}\n", error.what());
    end_process(2);
  } catch (const std::exception& error) {
    tell("error: {}\n", error.what());
    end_process(1);
  }
  end_process(done.status);
}

int sweep_as_process(const Arguments& arguments, const Environment& environment) {
  transport::keep_termination_pending();
  const auto transport = transport::mpi_transport();
  transport::Session session(*transport,
                             transport->rank() == 0 ? patience_with_others : patience_with_first);
  session.guard(give_up);
  session.describe_by([] { return std::string("was simulating"); });
  const Read own = read(arguments, environment);
  Done done{.status = 2};
  if (agree(session, own)) {
    const SweepRequest& request = required(own.request, "all have read the same");
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    const int threads = request.jobs > 0 ? request.jobs : std::max(1, cores);
    done = session.is_first() ? lead(session, request, environment, threads)
                              : follow(session, request, environment, threads);
  }
  if (!done.complete) end_without_others(session, done);
  leave(*transport, done.status);
  if (done.error) std::rethrow_exception(done.error);
  return done.status;
}

}  // namespace

const Command live_program::command::sweep_command{"sweep", live_program::help_sweep,
                                                   sweep_as_process};

}  // namespace pipewright::cli
