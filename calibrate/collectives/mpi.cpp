// MPI's blocking collectives. A rank waits in them without hearing of the others: the session's
// guard ends it when one of them is gone.
#define OMPI_SKIP_MPICXX
#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "base/error.hpp"
#include "calibrate/collectives/communicator.hpp"

namespace pipewright::calibration {
namespace {

using Clock = std::chrono::steady_clock;

void check(int status, std::string_view what) {
  if (status != MPI_SUCCESS) throw Failure(fmt::format("MPI: {} failed", what));
}

class Group final : public Communicator {
 public:
  Group(transport::Session& session, MPI_Comm comm) : session_(session), comm_(comm) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  ~Group() override { MPI_Comm_free(&comm_); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  double run(Operation operation, int64_t elements, int calls) override {
    const Buffers wanted = buffers(operation, elements, size_);
    // Never zeros: those may be copied faster.
    given_.resize(static_cast<size_t>(wanted.given), 1.5F);
    got_.resize(static_cast<size_t>(wanted.got), 0.5F);
    double took = 0;
    const int status = session_.outside([&] {
      int worst = MPI_Barrier(comm_);
      const Clock::time_point start = Clock::now();
      for (int i = 0; i < calls; ++i) worst = std::max(worst, call(operation, elements));
      took = std::chrono::duration<double>(Clock::now() - start).count();
      return worst;
    });
    check(status, name(operation));
    return took;
  }

 private:
  int call(Operation operation, int64_t elements) {
    const int all = static_cast<int>(elements), part = all / size_;
    float *given = given_.data(), *got = got_.data();
    switch (operation) {
      case Operation::all_reduce:
        return MPI_Allreduce(given, got, all, MPI_FLOAT, MPI_SUM, comm_);
      case Operation::all_gather:
        return MPI_Allgather(given, part, MPI_FLOAT, got, part, MPI_FLOAT, comm_);
      case Operation::reduce_scatter:
        return MPI_Reduce_scatter_block(given, got, part, MPI_FLOAT, MPI_SUM, comm_);
      case Operation::all_to_all:
        return MPI_Alltoall(given, part, MPI_FLOAT, got, part, MPI_FLOAT, comm_);
      case Operation::broadcast:
        return MPI_Bcast(given, all, MPI_FLOAT, 0, comm_);
      case Operation::send_recv:
        return MPI_Sendrecv(given, all, MPI_FLOAT, (rank_ + 1) % size_, 0, got, all, MPI_FLOAT,
                            (rank_ + size_ - 1) % size_, 0, comm_, MPI_STATUS_IGNORE);
    }
    return MPI_ERR_OP;
  }

  transport::Session& session_;
  MPI_Comm comm_;
  int rank_ = 0, size_ = 1;
  std::vector<float> given_, got_;
};

class Mpi final : public Communicators {
 public:
  explicit Mpi(transport::Session& session) : session_(session) {}

  std::string library() const override {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string whole(text, static_cast<size_t>(length));
    return whole.substr(0, whole.find_first_of(",\n"));
  }
  std::string device() const override { return {}; }
  /// A quarter of a host's memory, were its ranks alone; and MPI counts elements in ints.
  int64_t most_bytes() const override {
    const auto& hosts = session_.hosts();
    const auto here = std::count(hosts.begin(), hosts.end(), hosts[size_t(session_.rank())]);
    constexpr int64_t countable = 2 * int64_t{sizeof(float)} * INT32_MAX;
    return std::min(countable, int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE) / 4 / here);
  }

  std::unique_ptr<Communicator> join(const std::vector<int>& members, int /*channels*/) override {
    const bool is_member =
        std::find(members.begin(), members.end(), session_.rank()) != members.end();
    MPI_Comm comm = MPI_COMM_NULL;
    const int status = session_.outside([&] {
      return MPI_Comm_split(MPI_COMM_WORLD, is_member ? 0 : MPI_UNDEFINED, session_.rank(), &comm);
    });
    check(status, "MPI_Comm_split");
    if (!is_member) return nullptr;
    return std::make_unique<Group>(session_, comm);
  }

 private:
  transport::Session& session_;
};

}  // namespace

std::unique_ptr<Communicators> mpi_communicators(transport::Session& session) {
  return std::make_unique<Mpi>(session);
}

}  // namespace pipewright::calibration
