// Launchers by their variables, each set as its documentation has it.
#include "exec/launch/recognise.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "exec/launch/store_of.h"

namespace isoshard::exec::recognise_test {
namespace {

using Variable = std::map<std::string, std::string>;

auto recognised(const Variable& set) {
  return recognise([&](const std::string& name) {
    const auto found = set.find(name);
    return found == set.end() ? nullptr : found->second.c_str();
  });
}

/// `torchrun 3/8 local 1 at host:29501`.
std::string text_of(const Variable& set) {
  const auto launch = recognised(set);
  if (!launch) return launch.error();
  if (!*launch) return "none";
  return (*launch)->launcher + " " + std::to_string((*launch)->rank) + "/" + std::to_string((*launch)->ranks) +
         " local " + std::to_string((*launch)->local_rank) + " at " + (*launch)->store.text();
}

Variable with(Variable set, const Variable& more) {
  for (const auto& [name, value] : more) set[name] = value;
  return set;
}
Variable without(Variable set, const std::string& name) {
  set.erase(name);
  return set;
}

const Variable kOwn{
    {"ISOSHARD_RANK", "1"}, {"ISOSHARD_SIZE", "4"}, {"ISOSHARD_LOCAL_RANK", "0"}, {"ISOSHARD_STORE", "node1:7000"}};
const Variable kTorchrun{{"RANK", "3"},
                         {"WORLD_SIZE", "8"},
                         {"LOCAL_RANK", "1"},
                         {"LOCAL_WORLD_SIZE", "2"},
                         {"GROUP_RANK", "1"},
                         {"MASTER_ADDR", "host"},
                         {"MASTER_PORT", "29500"},
                         {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                         {"TORCHELASTIC_RUN_ID", "none"}};
const Variable kOpenMpi{
    {"OMPI_COMM_WORLD_RANK", "1"},       {"OMPI_COMM_WORLD_SIZE", "4"},
    {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
    {"OMPI_MCA_ess_base_jobid", "4097"}, {"OMPI_MCA_orte_hnp_uri", "268500992.0;tcp://10.0.0.5,192.168.1.5:43107"}};
const Variable kSlurm{{"SLURM_PROCID", "2"},        {"SLURM_NTASKS", "4"},  {"SLURM_LOCALID", "0"},
                      {"SLURM_JOB_ID", "4098"},     {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NODELIST", "gpu[007-008]"},
                      {"SLURM_STEP_NUM_NODES", "2"}};
const Variable kMpich{{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}, {"ISOSHARD_STORE", "h:9"}};
const Variable kFlux{{"FLUX_TASK_RANK", "1"},
                     {"FLUX_JOB_SIZE", "2"},
                     {"FLUX_TASK_LOCAL_ID", "1"},
                     {"FLUX_JOB_ID", "4099"},
                     {"FLUX_JOB_NNODES", "1"}};

TEST(Recognise, EachLauncher) {
  EXPECT_EQ(text_of({}), "none");
  EXPECT_EQ(text_of(kOwn), "isoshard 1/4 local 0 at node1:7000");
  EXPECT_EQ(text_of(kTorchrun), "torchrun 3/8 local 1 at host:29501");  // its agent listens at 29500
  EXPECT_EQ(text_of(without(kTorchrun, "TORCHELASTIC_USE_AGENT_STORE")), "torchrun 3/8 local 1 at host:29500");
  EXPECT_EQ(text_of(kOpenMpi), "OpenMPI 1/4 local 1 at 10.0.0.5:64102");
  EXPECT_EQ(text_of(with(kOpenMpi, {{"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}})), "OpenMPI 1/4 local 1 at 127.0.0.1:64102");
  EXPECT_EQ(text_of(kSlurm), "srun 2/4 local 0 at gpu007:63350");
  EXPECT_EQ(text_of(with(kSlurm, {{"SLURM_STEP_NUM_NODES", "1"}})), "srun 2/4 local 0 at 127.0.0.1:63350");
  EXPECT_EQ(text_of(kMpich), "MPICH 1/2 local 1 at h:9");
  EXPECT_EQ(text_of(with(without(kMpich, "MPI_LOCALRANKID"), {{"PALS_LOCAL_RANKID", "0"}})),
            "MPICH 1/2 local 0 at h:9");
  EXPECT_EQ(text_of(kFlux), "Flux 1/2 local 1 at 127.0.0.1:62183");
}

TEST(Recognise, TheInnerOneCounts) {
  EXPECT_EQ(text_of(with(kSlurm, kTorchrun)).rfind("torchrun 3/8", 0), 0U);
  EXPECT_EQ(text_of(with(kSlurm, kOpenMpi)).rfind("OpenMPI 1/4", 0), 0U);
  EXPECT_EQ(text_of(with(kTorchrun, kOwn)).rfind("isoshard 1/4", 0), 0U);
}

TEST(Recognise, ABatchScriptIsNoRank) { EXPECT_EQ(text_of(without(kSlurm, "SLURM_STEP_ID")), "none"); }

TEST(Recognise, IncompleteSetsAreErrors) {
  for (const auto& [set, name] :
       {std::pair(kOwn, "ISOSHARD_LOCAL_RANK"), std::pair(kOwn, "ISOSHARD_SIZE"), std::pair(kTorchrun, "RANK"),
        std::pair(kTorchrun, "LOCAL_RANK"), std::pair(kOpenMpi, "OMPI_COMM_WORLD_SIZE"),
        std::pair(kSlurm, "SLURM_LOCALID"), std::pair(kMpich, "MPI_LOCALRANKID"), std::pair(kFlux, "FLUX_JOB_SIZE")}) {
    EXPECT_NE(text_of(without(set, name)).find(" and " + std::string(name) + " is not; expected all of "),
              std::string::npos)
        << text_of(without(set, name));
  }
}

TEST(Recognise, AMachineToMeetAtHasToBeNamed) {
  const std::string todo =
      "; expected ISOSHARD_STORE=HOST:PORT, with the machine of rank 0, or "
      "ISOSHARD_STORE=file://FOLDER";
  EXPECT_EQ(text_of(without(kOwn, "ISOSHARD_STORE")), "isoshard: nothing says where the ranks meet" + todo);
  EXPECT_EQ(text_of(without(kMpich, "ISOSHARD_STORE")), "MPICH: nothing says where the ranks meet" + todo);
  EXPECT_EQ(text_of(without(kTorchrun, "MASTER_PORT")), "torchrun: MASTER_PORT is not set" + todo);
  EXPECT_EQ(text_of(without(kOpenMpi, "OMPI_MCA_orte_hnp_uri")),
            "OpenMPI: nothing says on which machine rank 0 is" + todo);
  EXPECT_EQ(text_of(with(kFlux, {{"FLUX_JOB_NNODES", "2"}})), "Flux: nothing says on which machine rank 0 is" + todo);
  EXPECT_EQ(text_of(without(kSlurm, "SLURM_JOB_ID")), "srun: nothing names the job" + todo);
  EXPECT_EQ(text_of(with(kTorchrun, {{"MASTER_PORT", "65535"}})), "MASTER_PORT=65535 leaves no port to meet at");
}

TEST(Recognise, JobsHaveOtherTokens) {
  const auto token = [](const Variable& set) { return (**recognised(set)).token; };
  EXPECT_EQ(token(kSlurm), token(with(kSlurm, {{"SLURM_PROCID", "3"}})));
  EXPECT_NE(token(kSlurm), token(with(kSlurm, {{"SLURM_JOB_ID", "8"}})));
  EXPECT_NE(token(kSlurm), token(with(kSlurm, {{"SLURM_STEP_ID", "1"}})));
  EXPECT_NE(token(kOwn), token(with(kOwn, {{"ISOSHARD_TOKEN", "secret"}})));
}

TEST(Recognise, ListsOfNodes) {
  EXPECT_EQ(first_of_node_list("node7"), "node7");
  EXPECT_EQ(first_of_node_list("node7,node8"), "node7");
  EXPECT_EQ(first_of_node_list("node[003-004,9],other"), "node003");
  EXPECT_EQ(first_of_node_list("rack[2,5]-n,x"), "rack2-n");
  EXPECT_EQ(first_of_node_list("n["), "n");
  EXPECT_EQ(first_of_node_list(""), "");
}

}  // namespace
}  // namespace isoshard::exec::recognise_test
