#pragma once  // internal

#include <optional>
#include <string>
#include <vector>

#include "core/ir/types/mesh.h"
#include "core/plan/plan.h"
#include "pictures/chart/listing.h"
#include "verify/answers/diagnosis.h"

namespace isoshard::pictures {

/// What a section of a page is about.
struct Section {
  size_t number = 0;  ///< on the page
  std::string kind;   ///< `program`, `plan`
  const Plan& plan;
  Listing listing;
  const verify::Diagnosis* diagnosis = nullptr;  ///< null: nothing in it is wrong

  /// The value that the diagnosis is about, if it is one of the list.
  std::optional<size_t> wrong() const;
};

/// The section as markup.
std::string section_html(const Section& section);
/// What its script needs, as one JSON object in ASCII.
std::string section_data(const Section& section);

/// The table of values of a section, with one column of states per axis.
std::string values_html(const Section& section);
/// The devices of its mesh as a table, which the script fills with what they hold.
std::string mesh_html(const Mesh& mesh);

}  // namespace isoshard::pictures
