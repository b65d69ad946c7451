#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exec/run/rank_host.h"

namespace isoshard::exec {

/// All ranks of a run as one: each call tells all of them and waits for all, for a while. The first failure ends all.
class Crew {
 public:
  /// `grace`: seconds beyond the deadline of the ranks after which the caller gives up by itself.
  Crew(std::shared_ptr<const Job> job, std::unique_ptr<RankHost> host, double grace = 10);

  /// Lets the ranks meet and make their memory.
  Outcome<> open();
  /// Does a step on the inputs that are on the desk, all of them or those that the last step updated; the seconds of
  /// the slowest rank.
  Outcome<double> step(bool all_inputs);
  /// Ends communicators and ranks.
  Outcome<> finish();

  const Job& job() const { return *job_; }
  /// Whether a rank that failed to end goes on in this process, which should not be destroyed under its feet.
  bool has_stragglers() const { return stragglers_; }

 private:
  struct Loss;
  void tell_all(Word word) const;
  Outcome<> hear_all(Word expected, const std::string& what, std::vector<size_t> ranks);
  Outcome<> hear_all(Word expected, const std::string& what);
  /// Hears what is to be heard from `waiting` within `seconds` and takes those that said `expected` out of it.
  void hear_some(Word expected, double seconds, std::vector<size_t>& waiting, std::vector<Loss>& losses);
  Loss loss_of(size_t rank, bool has_word);
  static size_t cited_of(const std::vector<Loss>& losses);
  static Failure told(std::vector<Loss> losses, const std::vector<size_t>& silent);
  tl::unexpected<Failure> give_up(Failure failure);

  std::shared_ptr<const Job> job_;
  std::unique_ptr<RankHost> host_;
  double seconds_;
  bool stragglers_ = false;
};

}  // namespace isoshard::exec
