#pragma once  // internal

/// Kinds of frames between rank 0 of a launched job and the others. What belongs to a word comes before it.
namespace isoshard::exec::message {

inline constexpr char kWord = 'w';  ///< both ways: a Word

// From rank 0.
inline constexpr char kWelcome = 'c';  ///< all have come and run the same: where shared devices are, in words
inline constexpr char kMeeting = 'm';  ///< the MeetingPoint
inline constexpr char kInput = 'i';    ///< part of a box of an input: its number (4 bytes), where (8), bytes
inline constexpr char kStop = 's';     ///< the run has failed, and rank 0 tells why

// To rank 0.
inline constexpr char kRuns = 'r';       ///< what a rank is about to run, see Introduction
inline constexpr char kOutput = 'o';     ///< part of a box of an output, as kInput
inline constexpr char kNote = 'n';       ///< seconds of the step (8 bytes), calls issued as listed (8)
inline constexpr char kAlgorithm = 'l';  ///< a UsedAlgorithm
inline constexpr char kFailure = 'f';    ///< its kind (1 byte), its text
inline constexpr char kEnd = 'e';        ///< how the process of the rank ended, in words

}  // namespace isoshard::exec::message
