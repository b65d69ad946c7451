#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "pictures/chart/listing.h"
#include "pictures/svg/cut.h"
#include "pictures/svg/plan_svg.h"

namespace isoshard::pictures {
namespace {

constexpr int64_t kLane = 30, kCharacterWidth = 8, kSmallWidth = 6;
constexpr size_t kMostTokens = 60;  ///< cells of a picture in which tokens are lines

class QueuesDrawer {
 public:
  QueuesDrawer(const Plan& plan, const QueueChart& chart) : plan_(plan), chart_(chart) {
    const auto slots_of = [&](size_t lane) {
      std::vector<int64_t> slots;
      for (const ChartRun& run : chart_.lanes[lane].runs) slots.push_back(run.slot);
      std::sort(slots.begin(), slots.end());
      return slots;
    };
    cut_ = cut_of(chart.lanes.size(), chart.slots, slots_of, "queues", "instructions");
    size_t longest = 4;
    for (size_t l = 0; l < cut_.rows; ++l) longest = std::max(longest, label(l).size());
    left_ = static_cast<int64_t>(std::min<size_t>(longest, 34)) * kCharacterWidth + 22;
    cell_ = std::clamp<int64_t>(1000 / std::max<int64_t>(1, cut_.slots), 16, 78);
  }

  Picture draw() {
    picture_.name = "Queues of @" + plan_.program;
    picture_.description = "Queues as lanes, the instructions in the slots that their order leaves to them: " +
                           std::to_string(cut_.all_cells) + " instructions on " + std::to_string(chart_.lanes.size()) +
                           (chart_.lanes.size() == 1 ? " queue, " : " queues, ") + std::to_string(chart_.slots) +
                           " slots";
    picture_.cut = cut_.text;
    picture_.width = std::max<int64_t>(720, left_ + cut_.slots * cell_ + 12);
    header();
    for (size_t l = 0; l < cut_.rows; ++l) {
      picture_.drawing.rect({left_, y_of(l) + 3, cut_.slots * cell_, kLane - 6}, "band");
    }
    if (cut_.cells <= kMostTokens) tokens();  // below the cells, whose words stay readable
    for (size_t l = 0; l < cut_.rows; ++l) lane(l);
    footer();
    return std::move(picture_);
  }

 private:
  std::string label(size_t lane) const {
    const std::string& group = plan_.groups[chart_.lanes[lane].group].name;
    const bool one = plan_.groups.size() == 1 || group.empty();
    return (one ? "" : group + ": ") + chart_.lanes[lane].queue;
  }

  int64_t y_of(size_t lane) const { return kTop + static_cast<int64_t>(lane) * kLane; }
  int64_t x_of(int64_t slot) const { return left_ + slot * cell_; }

  void header() {
    Drawing& drawing = picture_.drawing;
    drawing.text(12, 18, "head", "queues");
    drawing.text(80, 18, "muted",
                 std::to_string(cut_.all_cells) + " instructions, every one a slot, in the order of queues and tokens");
    constexpr struct {
      const char *classes, *words;
    } kEntries[] = {{"local", "computes"}, {"comm", "communicates"}, {"move", "reads, writes, indexes"}};
    int64_t x = left_;
    for (const auto& entry : kEntries) {
      drawing.rect({x, 28, 12, 12}, entry.classes);
      drawing.text(x + 18, 38, "muted", entry.words);
      x += 34 + kCharacterWidth * static_cast<int64_t>(std::string(entry.words).size());
    }
    if (!chart_.stuck) return;
    drawing.rect({x, 28, 12, 12}, "stuck");
    drawing.text(x + 18, 38, "muted", "never begins: waits in a circle");
  }

  void lane(size_t index) {
    const ChartLane& lane = chart_.lanes[index];
    std::string name = label(index);
    if (name.size() > 34) name = name.substr(0, 31) + "...";
    picture_.drawing.text(left_ - 10, y_of(index) + 19, "end", name);
    for (const ChartRun& run : lane.runs) {
      if (run.slot < cut_.slots) cell(index, run);
    }
    loops(index);
  }

  void cell(size_t lane, const ChartRun& run) {
    const Instruction& instruction = plan_.instruction(run.id);
    const std::string word = word_of(instruction);
    picture_.drawing.begin_group(std::string("cell ") + (run.begins ? class_of(instruction) : "stuck"),
                                 tooltip(run, instruction, word));
    picture_.drawing.rect({x_of(run.slot), y_of(lane) + 3, cell_ - 2, kLane - 6}, "");
    const size_t fits = static_cast<size_t>(std::max<int64_t>(0, cell_ - 6) / kSmallWidth);
    if (fits >= 3) {
      const std::string shown = word.size() <= fits ? word : word.substr(0, fits - 1) + ".";
      picture_.drawing.text(x_of(run.slot) + (cell_ - 2) / 2, y_of(lane) + 19, "small mid", shown);
    }
    picture_.drawing.end_group();
  }

  static const char* class_of(const Instruction& instruction) {
    if (communicator_of(instruction.data()) != nullptr) return "comm";
    return std::holds_alternative<LocalOp>(instruction.data()) ? "local" : "move";
  }

  std::string tooltip(const ChartRun& run, const Instruction& instruction, const std::string& word) const {
    std::string text = "#" + std::to_string(run.id.index()) + " ";
    for (const PlanValueId id : instruction.results) text += "%" + plan_.value(id).name() + " ";
    text += (instruction.results.empty() ? "" : "= ") + word;
    for (const PlanValueId id : instruction.operands) text += " %" + plan_.value(id).name();
    for (const PlanValueId id : instruction.results) text += " : " + to_string(plan_.value(id).type());
    if (!instruction.waits.empty()) text += ", after";
    for (const Token& token : instruction.waits) {
      text += (token.previous ? " previous #" : " #") + std::to_string(token.instruction.index());
    }
    text += ", slot " + std::to_string(run.slot);
    if (run.loop != nullptr) text += ", in each of " + std::to_string(run.loop->count) + " iterations";
    if (!run.begins) text += ", never begins";
    return text + "; " + instruction.location().to_string();
  }

  /// A line above the runs of a lane that stand in one loop.
  void loops(size_t index) {
    const std::vector<ChartRun>& runs = chart_.lanes[index].runs;
    for (size_t i = 0; i < runs.size();) {
      size_t end = i + 1;
      while (end < runs.size() && runs[end].loop == runs[i].loop) ++end;
      const int64_t last = std::min(runs[end - 1].slot + 1, cut_.slots);
      if (runs[i].loop != nullptr && runs[i].slot < cut_.slots) {
        picture_.drawing.line(x_of(runs[i].slot), y_of(index) + 1, x_of(last) - 2, y_of(index) + 1, "wait");
        picture_.drawing.text(x_of(runs[i].slot) + 2, y_of(index) + 10, "small muted",
                              "x" + std::to_string(runs[i].loop->count));
      }
      i = end;
    }
  }

  /// From the end of what is waited for to what waits.
  void tokens() {
    std::unordered_map<InstructionId, std::pair<int64_t, int64_t>> ends;
    for (size_t l = 0; l < cut_.rows; ++l) {
      for (const ChartRun& run : chart_.lanes[l].runs) ends[run.id] = {x_of(run.slot + 1) - 2, y_of(l) + kLane / 2};
    }
    for (size_t l = 0; l < cut_.rows; ++l) {
      for (const ChartRun& run : chart_.lanes[l].runs) {
        for (const Token& token : plan_.instruction(run.id).waits) {
          const auto from = ends.find(token.instruction);
          if (token.previous || from == ends.end()) continue;
          curve(from->second.first, from->second.second, x_of(run.slot), y_of(l) + kLane / 2);
        }
      }
    }
  }

  void curve(int64_t x1, int64_t y1, int64_t x2, int64_t y2) {
    const std::string middle = std::to_string((x1 + x2) / 2);
    picture_.drawing.path("M" + std::to_string(x1) + " " + std::to_string(y1) + "C" + middle + " " +
                              std::to_string(y1) + " " + middle + " " + std::to_string(y2) + " " + std::to_string(x2) +
                              " " + std::to_string(y2),
                          "wait");
  }

  void footer() {
    int64_t y = y_of(cut_.rows);
    const int64_t step = std::max<int64_t>(1, 80 / cell_);
    for (int64_t slot = 0; slot < cut_.slots; slot += step) {
      picture_.drawing.text(x_of(slot) + (cell_ - 2) / 2, y + 14, "small muted mid", std::to_string(slot));
    }
    picture_.drawing.text(left_ - 10, y + 14, "small muted end", "slot");
    if (!cut_.text.empty()) picture_.drawing.text(left_, y += 18, "note", cut_.text);
    picture_.height = y + 24;
  }

  static constexpr int64_t kTop = 48;
  const Plan& plan_;
  const QueueChart& chart_;
  Cut cut_;
  int64_t left_ = 0, cell_ = 0;
  Picture picture_;
};

}  // namespace

Picture draw(const Plan& plan, const QueueChart& chart) { return QueuesDrawer(plan, chart).draw(); }

std::string plan_svg(const Plan& plan) {
  std::vector<Picture> pictures;
  for (const PipelineGrid& grid : pipeline_grids(plan)) pictures.push_back(draw(grid));
  pictures.push_back(draw(plan, queue_chart(plan)));
  return pictures_svg("Plan of @" + plan.program, pictures);
}

std::string pictures_svg(const std::string& name, const std::vector<Picture>& pictures) {
  Picture whole;
  for (const Picture& picture : pictures) whole.width = std::max(whole.width, picture.width);
  Drawing& drawing = whole.drawing;
  int64_t height = 0;
  for (const Picture& picture : pictures) height += picture.height;
  drawing.rect({0, 0, whole.width, height}, "back");
  for (const Picture& picture : pictures) {
    drawing.begin_group("part", picture.name, " transform=\"translate(0 " + std::to_string(whole.height) + ")\"");
    drawing.append(picture.drawing);
    drawing.end_group();
    whole.height += picture.height;
    whole.description += (whole.description.empty() ? "" : ". ") + picture.description;
  }
  whole.name = name;
  return standalone(whole.svg());
}

}  // namespace isoshard::pictures
