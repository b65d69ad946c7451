#pragma once

/// Everything of the library. See docs/library.md for examples.
#include <isoshard/array.h>
#include <isoshard/command_line.h>
#include <isoshard/errors.h>
#include <isoshard/programs.h>
#include <isoshard/report.h>
#include <isoshard/stop_token.h>
#include <isoshard/version.h>
