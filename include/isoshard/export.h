#pragma once

/// What a program outside of the library may call; everything else in it is hidden.
#define ISOSHARD_API __attribute__((visibility("default")))
