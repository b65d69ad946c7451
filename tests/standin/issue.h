#pragma once

#include <functional>
#include <span>
#include <string>

#include "tests/standin/streams.h"

namespace standin {

/// Issues a node behind what was issued on these streams, which all go on behind it, or adds it to their capture.
cudaError_t issue(const NodeRef& node, std::span<CUstream_st* const> streams);

/// The same for work of one stream.
cudaError_t issue_work(CUstream_st& stream, std::string what, std::function<void()> run);

}  // namespace standin
