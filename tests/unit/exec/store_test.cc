// Stores: frames of ranks in both ways, and what strangers, full disks and ends of ranks come to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "exec/store/hello.h"
#include "exec/store/sockets.h"
#include "exec/store/store.h"

namespace isoshard::exec::store_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kToken = "job/7";

/// A folder of its own, and a port that was free a moment ago.
class Stores : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "store-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  StoreAddress port() {
    StoreAddress address{"127.0.0.1", 0};
    const Outcome<int> listener = listen_at(address);
    EXPECT_TRUE(listener.has_value());
    close(*listener);
    return address;
  }
  StoreAddress address() { return GetParam() ? port() : StoreAddress{"", 0, folder_}; }

  std::string folder_{};
};

std::unique_ptr<Store> opened(const StoreAddress& address, size_t rank, size_t ranks = 2) {
  Outcome<std::unique_ptr<Store>> store = open_store(address, {rank, ranks, kToken}, 10);
  EXPECT_TRUE(store.has_value()) << store.error().message;
  return store ? std::move(*store) : nullptr;
}

/// What comes next, within a few seconds.
std::optional<Arrival> next(Store& store) { return store.next({}, 10); }

Frame text_frame(const std::string& text) { return FrameWriter('t').put_text(text).frame(); }

/// Rank 1 of a store, in a thread, does something with it.
template <class Use>
std::thread rank_1(const StoreAddress& address, const Use& use) {
  return std::thread([address, use] {
    const std::unique_ptr<Store> store = opened(address, 1);
    if (store != nullptr) use(*store);
  });
}

TEST_P(Stores, FramesGoBothWaysInOrder) {
  const StoreAddress where = address();
  const std::unique_ptr<Store> host = opened(where, 0);
  std::thread member = rank_1(where, [](Store& store) {
    ASSERT_TRUE(store.send(0, text_frame("here")).has_value());
    for (const char* expected : {"one", "two"}) {
      const std::optional<Arrival> arrival = next(store);
      ASSERT_TRUE(arrival && arrival->frame);
      EXPECT_EQ(FrameReader(*arrival->frame).take_text(), expected);
    }
    const Frame large{'l', std::vector<std::byte>(kMostOfFrame, std::byte{7})};
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(store.send(0, large).has_value());
    while (store.has_unsent()) store.next({}, 0.01);
  });
  const std::optional<Arrival> first = next(*host);
  ASSERT_TRUE(first && first->frame);
  EXPECT_EQ(first->rank, 1U);
  EXPECT_EQ(FrameReader(*first->frame).take_text(), "here");
  ASSERT_TRUE(host->send(1, text_frame("one")).has_value());
  ASSERT_TRUE(host->send(1, text_frame("two")).has_value());
  for (int i = 0; i < 20; ++i) {
    const std::optional<Arrival> large = next(*host);
    ASSERT_TRUE(large && large->frame) << i;
    EXPECT_EQ(large->frame->body, std::vector<std::byte>(kMostOfFrame, std::byte{7}));
  }
  const std::optional<Arrival> end = next(*host);
  ASSERT_TRUE(end);
  EXPECT_FALSE(end->frame);
  EXPECT_EQ(end->why, GetParam() ? "has closed its connection" : "has ended without a word");
  member.join();
}

TEST_P(Stores, AnotherTokenIsToldNothing) {
  const StoreAddress where = address();
  const std::unique_ptr<Store> host = opened(where, 0);
  std::string said;
  std::thread stranger([&] {
    const auto store = open_store(where, {1, 2, "job/8"}, 5);
    if (!store) said = store.error().message;
  });
  EXPECT_FALSE(host->next({}, 0.5));
  stranger.join();
  EXPECT_EQ(said, "the store at " + where.text() +
                      ": this rank was refused as another token; expected rank 0 of the same job there (ISOSHARD_STORE "
                      "names another place, ISOSHARD_TOKEN the job)");
  EXPECT_THAT(host->strangers(), StartsWith("another token"));
}

TEST_P(Stores, OtherJobsAndSecondRanksAreRefused) {
  const StoreAddress where = address();
  const std::unique_ptr<Store> host = opened(where, 0);
  for (const auto& [identity, why] :
       {std::pair(Identity{1, 3, kToken}, "as a rank of a job of 3 ranks; this one has 2"),
        std::pair(Identity{1, 2, kToken}, ""), std::pair(Identity{1, 2, kToken}, "a second rank 1")}) {
    std::string said;
    std::thread other([&, own = identity] {
      static std::vector<std::unique_ptr<Store>> kept;  // one that goes is no second one
      auto store = open_store(where, own, 1);
      if (store) {
        kept.push_back(std::move(*store));
      } else {
        said = store.error().message;
      }
    });
    if (!GetParam() && std::string(why).find("second") != std::string::npos) {
      other.join();  // who has the file of the rank has not ended
      EXPECT_THAT(said, HasSubstr("is there twice"));
      continue;
    }
    host->next({}, 0.5);
    other.join();
    EXPECT_THAT(said, HasSubstr(why));
    if (!GetParam() && identity.ranks == 3) return;  // its name is taken by one that was refused
  }
}

TEST_P(Stores, NobodyIsThere) {
  const auto store = open_store(address(), {1, 2, kToken}, 0.3);
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().kind, Failure::Kind::timed_out);
  EXPECT_THAT(store.error().message, HasSubstr("this rank found nobody in time"));
}

INSTANTIATE_TEST_SUITE_P(Store, Stores, ::testing::Bool());

/// What only one kind of store can meet.
class Ports : public Stores {};
class Folders : public Stores {};
INSTANTIATE_TEST_SUITE_P(Store, Ports, ::testing::Values(true));
INSTANTIATE_TEST_SUITE_P(Store, Folders, ::testing::Values(false));

/// Sends bytes to a store as no rank does; what comes back until the store hangs up.
std::string answer_to(const StoreAddress& where, const std::string& bytes, Store& host) {
  const Outcome<int> descriptor = connect_to(where, 5);
  EXPECT_TRUE(descriptor.has_value());
  EXPECT_EQ(write(*descriptor, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  std::string answer;
  std::thread reader([&] {
    char part[256];
    for (ssize_t got = 0; (got = read(*descriptor, part, sizeof part)) > 0;) {
      answer.append(part, static_cast<size_t>(got));
    }
  });
  EXPECT_FALSE(host.next({}, 0.2));
  EXPECT_FALSE(host.next({}, 0.2));
  reader.join();
  close(*descriptor);
  return answer;
}

TEST_P(Ports, GarbageIsHungUpOn) {
  const StoreAddress where = port();
  const std::unique_ptr<Store> host = opened(where, 0);
  const std::string long_one("\x01\x10\0\0H", 5), short_one("\x02\0\0\0Hxx", 7);
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(5000, '\xff'), long_one, short_one}) {
    EXPECT_THAT(answer_to(where, bytes, *host), HasSubstr("something that is no rank of isoshard"));
  }
  EXPECT_THAT(host->strangers(), HasSubstr("something that is no rank of isoshard from 127.0.0.1"));
}

TEST_P(Ports, SilenceIsHungUpOnAndKeepsNobody) {
  const StoreAddress where = port();
  const std::unique_ptr<Store> host = opened(where, 0);
  std::vector<int> silent;
  for (int i = 0; i < 70; ++i) {  // more than are borne at once
    const Outcome<int> descriptor = connect_to(where, 5);
    ASSERT_TRUE(descriptor.has_value());
    silent.push_back(*descriptor);
    ASSERT_EQ(write(silent.back(), "\x01", 1), 1);
    host->next({}, 0.01);
  }
  std::thread member = rank_1(where, [](Store& store) {
    ASSERT_TRUE(store.send(0, text_frame("here")).has_value());
    while (store.has_unsent()) store.next({}, 0.01);
    next(store);
  });
  const std::optional<Arrival> first = next(*host);
  ASSERT_TRUE(first && first->frame);
  for (int i = 0; i < 12; ++i) host->next({}, 0.5);
  EXPECT_THAT(host->strangers(), HasSubstr("who say nothing from 127.0.0.1"));
  char byte = 0;
  EXPECT_GE(read(silent.back(), &byte, 1), 0);  // hung up on by now, or told so
  for (const int descriptor : silent) close(descriptor);
  ASSERT_TRUE(host->send(1, text_frame("go")).has_value());
  host->next({}, 0.1);
  member.join();
}

TEST_P(Ports, AFrameThatIsTooLongEndsARank) {
  const StoreAddress where = port();
  const std::unique_ptr<Store> host = opened(where, 0);
  std::thread member = rank_1(where, [](Store& store) {
    store.send(0, Frame{'l', std::vector<std::byte>(kMostOfFrame + 1)});
    while (store.has_unsent()) store.next({}, 0.01);
  });
  const std::optional<Arrival> end = next(*host);
  ASSERT_TRUE(end);
  EXPECT_FALSE(end->frame);
  EXPECT_EQ(end->why, "has sent a frame that is too long");
  member.join();
}

TEST_P(Ports, APortInUseIsNamed) {
  const StoreAddress where = port();
  const std::unique_ptr<Store> host = opened(where, 0);
  const auto second = open_store(where, {0, 2, kToken}, 1);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().message, "the store at " + where.text() +
                                        ": Address already in use; expected an address of this machine and a port that "
                                        "is free; ISOSHARD_STORE names another");
}

TEST_P(Folders, AnotherJobHasIt) {
  const StoreAddress where = address();
  const std::unique_ptr<Store> host = opened(where, 0);
  int ended = 0;
  const pid_t other = fork();  // locks are those of an open file, which one process may have twice
  if (other == 0) _exit(open_store(where, {0, 2, kToken}, 1).has_value() ? 0 : 7);
  waitpid(other, &ended, 0);
  EXPECT_EQ(WEXITSTATUS(ended), 7);
}

TEST_P(Folders, AFileThatIsNoFrameEndsARank) {
  const StoreAddress where = address();
  const std::unique_ptr<Store> host = opened(where, 0);
  std::thread member = rank_1(where, [&](Store& store) {
    std::ofstream(folder_ + "/up.1.1") << "garbage, and not a frame";
    next(store);
  });
  const std::optional<Arrival> end = next(*host);
  ASSERT_TRUE(end);
  EXPECT_FALSE(end->frame);
  EXPECT_EQ(end->why, "has written a file that is no frame");
  ASSERT_TRUE(host->send(1, text_frame("go")).has_value());
  std::ofstream(folder_ + "/down.1.1") << "x";
  member.join();
}

TEST_P(Folders, AFullDiskIsAnError) {
  const StoreAddress where = address();
  const std::unique_ptr<Store> host = opened(where, 0);
  std::thread member = rank_1(where, [](Store& store) { next(store); });
  host->next({}, 0.3);
  int ended = 0;
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const Outcome<> sent = host->send(1, Frame{'l', std::vector<std::byte>(2000)});
    const std::string expected = folder_ + "/down.1.1 cannot be written: File too large; expected a folder with room";
    _exit(!sent && sent.error().message.rfind(expected, 0) == 0 ? 0 : 7);
  }
  waitpid(child, &ended, 0);
  EXPECT_EQ(WEXITSTATUS(ended), 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/down.1.1"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/down.1.1.tmp"));
  ASSERT_TRUE(host->send(1, text_frame("go")).has_value());
  member.join();
}

TEST(StoreAddress, AreRead) {
  for (const char* text : {"127.0.0.1:29500", "node1.cluster:1", "[::1]:65535", "file:///shared/a b"}) {
    const auto address = parse_store_address(text);
    ASSERT_TRUE(address.has_value()) << text;
    EXPECT_EQ(address->text(), text);
  }
  EXPECT_EQ(parse_store_address("tcp://h:7")->text(), "h:7");
  for (const char* text : {"", "host", "host:", ":7", "host:0", "host:65536", "host:7x", "::1:7", "[::1]", "[h]:7",
                           "file://", "file://relative", "tcp://file:///x", "ho st:7", "http://host:80"}) {
    const auto address = parse_store_address(text);
    ASSERT_FALSE(address.has_value()) << text;
    EXPECT_EQ(address.error(), '"' + std::string(text) +
                                   "\" is no address of a store: expected HOST:PORT with a port from 1 to 65535, or "
                                   "file://FOLDER");
  }
}

}  // namespace
}  // namespace isoshard::exec::store_test
