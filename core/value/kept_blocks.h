#pragma once  // internal

#include <cstddef>
#include <new>

namespace isoshard {

/// Blocks of one size that the calling thread has freed and keeps for the next ones, a limited number of them.
///
/// Blocks that a thread frees when its own list is gone go back to the system.
template <size_t kBytes, size_t kAlignment>
class BlockList {
 public:
  static void* take() {
    Head& head = of_thread();
    if (head.first == nullptr) return ::operator new (kBytes, std::align_val_t{kAlignment});
    void* const block = head.first;
    head.first = head.first->next;
    --head.count;
    return block;
  }
  static void give(void* block) {
    Head& head = of_thread();
    if (head.count >= head.most) return ::operator delete (block, std::align_val_t{kAlignment});
    head.first = ::new (block) Free{head.first};
    ++head.count;
  }

 private:
  static constexpr size_t kMost = 16384;

  struct Free {
    Free* next;
  };
  /// Trivial, so that it can still be read when objects of the thread are gone.
  struct Head {
    Free* first;
    size_t count, most;
  };
  /// Opens the list of the thread, and ends it with the thread.
  struct Keeper {
    explicit Keeper(Head& list) : head(list) { head.most = kMost; }
    ~Keeper() {
      head.most = 0;
      while (head.first != nullptr) ::operator delete (take(), std::align_val_t{kAlignment});
    }
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;
    Head& head;
  };

  static Head& of_thread() {
    static thread_local Head head{};
    static thread_local const Keeper keeper(head);
    return head;
  }
};

/// An allocator of single objects from BlockList.
template <class T>
struct KeptBlocks {
  using value_type = T;

  KeptBlocks() = default;
  template <class U>
  KeptBlocks(const KeptBlocks<U>& /*other*/) {}

  T* allocate(size_t /*one*/) { return static_cast<T*>(BlockList<sizeof(T), alignof(T)>::take()); }
  void deallocate(T* object, size_t /*one*/) { BlockList<sizeof(T), alignof(T)>::give(object); }
  template <class U>
  bool operator==(const KeptBlocks<U>& /*other*/) const {
    return true;
  }
};

}  // namespace isoshard
