// The side of a rank: meets the others, opens its part of the backend, and does the steps that its caller asks for,
// with inputs and outputs on the desk. Rank 0 makes the meeting point, in its own process, since the others will find
// each other through it. Whatever fails is left on the desk and ends the rank. Cost: beside the steps one copy of the
// boxes each way.
#include "exec/run/job.h"

#include <exception>

#include "exec/run/issue_check.h"

namespace isoshard::exec {
namespace {

RankOptions options_of(const Job& job, size_t rank) {
  RankOptions options = job.options;
  options.describe = [&job, rank](size_t call) {
    return job.describe ? job.describe(job.lists[rank].calls[call]) : "call " + std::to_string(call);
  };
  return options;
}

Outcome<std::unique_ptr<Rank>> open_rank(const Job& job, size_t rank, const Port& port) {
  const Outcome<Backend*> backend = job.open_backend();
  if (!backend) return tl::unexpected(backend.error());
  if (rank == 0) {
    const Outcome<MeetingPoint> meeting = (*backend)->meeting_point();
    if (!meeting) return tl::unexpected(meeting.error());
    job.desk->meeting() = *meeting;
    port.say(Word::meet);
  }
  if (port.hear() != Word::meet) return std::unique_ptr<Rank>();
  const Seat seat{static_cast<int64_t>(rank), static_cast<int64_t>(job.lists.size()), job.devices[rank],
                  job.desk->meeting()};
  return (*backend)->open(job.lists[rank], seat, options_of(job, rank));
}

Outcome<> do_step(const Job& job, size_t rank, Rank& device, bool all, IssueCheck& check) {
  const calls::CallList& list = job.lists[rank];
  for (size_t i = 0; i < list.inputs.size(); ++i) {
    if (!all && !job.updated[list.inputs[i].of]) continue;
    if (Outcome<> written = device.write(list.inputs[i].place, job.desk->input(rank, i)); !written) return written;
  }
  if (Outcome<> done = check.look(device, device.step()); !done) return done;
  for (size_t i = 0; i < list.outputs.size(); ++i) {
    if (Outcome<> read = device.read(list.outputs[i].place, job.desk->output(rank, i)); !read) return read;
  }
  job.desk->seconds(rank) = device.seconds();
  job.desk->issued(rank) = check.issued();
  return {};
}

/// Makes `device` and does what the caller says with it.
Outcome<> serve(const Job& job, size_t rank, const Port& port, std::unique_ptr<Rank>& device) {
  Outcome<std::unique_ptr<Rank>> opened = open_rank(job, rank, port);
  if (!opened) return tl::unexpected(opened.error());
  device = std::move(*opened);
  if (device == nullptr) return {};  // the caller is gone
  IssueCheck check(job.lists[rank], static_cast<int64_t>(job.lists.size()), options_of(job, rank));
  if (Outcome<> checked = check.look(*device, {}); !checked) return checked;
  job.desk->leave(rank, device->algorithms());
  port.say(Word::opened);
  for (;;) {
    const std::optional<Word> word = port.hear();
    if (word == Word::finish) {
      Outcome<> finished = device->finish();
      if (finished) port.say(Word::finish);
      return finished;
    }
    if (word != Word::all && word != Word::updated) return {};
    if (Outcome<> done = do_step(job, rank, *device, word == Word::all, check); !done) return done;
    port.say(Word::done);
  }
}

}  // namespace

void serve_rank(const Job& job, size_t rank, const Port& port) {
  std::unique_ptr<Rank> device;  // ends behind what is said of a failure: that may take long, or for ever
  Outcome<> served;
  try {
    served = serve(job, rank, port, device);
  } catch (const std::exception& error) {
    served = tl::unexpected(Failure{Failure::Kind::failed, std::string("an exception: ") + error.what()});
  }
  if (served) return;
  job.desk->leave(rank, served.error());
  port.say(Word::failed);
}

}  // namespace isoshard::exec
