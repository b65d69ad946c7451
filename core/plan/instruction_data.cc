#include "core/plan/instruction_data.h"

namespace isoshard {

const CommunicatorId* communicator_of(const InstructionData& data) {
  if (const auto* collective = std::get_if<Collective>(&data)) return &collective->communicator;
  if (const auto* permute = std::get_if<Permute>(&data)) return &permute->communicator;
  if (const auto* send = std::get_if<Send>(&data)) return &send->communicator;
  if (const auto* receive = std::get_if<Recv>(&data)) return &receive->communicator;
  return nullptr;
}

Peers peers_of(const InstructionData& data) {
  if (const auto* permute = std::get_if<Permute>(&data)) return {&permute->target, &permute->source};
  if (const auto* send = std::get_if<Send>(&data)) return {&send->target, nullptr};
  if (const auto* receive = std::get_if<Recv>(&data)) return {nullptr, &receive->source};
  return {};
}

bool is_message(const InstructionData& data) {
  const Peers peers = peers_of(data);
  return peers.target != nullptr || peers.source != nullptr;
}

}  // namespace isoshard
