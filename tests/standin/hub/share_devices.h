#pragma once

/// Moves the devices, with all that the stand-in knows, into a process of their own that is forked from this one: calls
/// of this process, and of those that it forks later, are made there, so that ranks may be processes. This process must
/// have no other threads. What the devices have is what reset() and others made before. False where the system has no
/// more processes or sockets. exec finds it by its name.
extern "C" bool isoshard_share_devices();

/// Ends that process, which also ends with this one. What it would say at its end is said, and what it found is among
/// problems() and trace() of this process.
extern "C" void isoshard_end_sharing();

/// Lets processes come to those devices that are not forked from this one; the path of a socket, or null where the
/// system has none. It goes with the sharing.
extern "C" const char* isoshard_open_door();

/// Makes the calls of this process where that path leads to; false where that is nowhere.
extern "C" bool isoshard_join_devices(const char* path);
