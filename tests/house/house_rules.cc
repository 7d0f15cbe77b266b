#include "tests/house/house_rules.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <span>
#include <sstream>
#include <string_view>

namespace bartizan {
namespace {

/// In the order in which they may include each other: each itself and what stands before it.
constexpr std::array<std::string_view, 5> kFolders = {"schemas", "config", "policy", "audit",
                                                      "gateway"};
constexpr std::size_t kLinesMax = 450;
constexpr std::ptrdiff_t kColumnsMax = 100;

/// Of folders that are divided, the rooms, in the order in which they may include each other: each
/// itself and what stands before it. A nameless room is the folder itself.
const std::map<std::string_view, std::vector<std::string_view>> kRooms = {
    {"schemas", {"base", "json", "regex", "schema", "message"}},
    {"config", {"", "load"}},
    {"policy", {"text",      "verdict",   "shell",   "content", "path",  "sql",    "url",
                "injection", "predicate", "access",  "detect",  "limit", "redact", "definition",
                "sanitise",  "check",     "explain", "diff",    "learn", "review"}},
    {"gateway",
     {"runtime", "net",        "process",   "launch",   "message", "http",   "framing",  "token",
      "facts",   "record",     "export",    "index",    "reply",   "store",  "identity", "upstream",
      "review",  "setup",      "catalogue", "approval", "bridge",  "worker", "dialect",  "call",
      "status",  "front_door", "console",   "client",   "control", "command"}}};

std::string_view folder_of(std::string_view path) {
  return path.substr(0, path.find('/'));
}

std::size_t rank(std::string_view folder) {
  return static_cast<std::size_t>(std::ranges::find(kFolders, folder) - kFolders.begin());
}

bool is_ours(std::string_view path) {
  return rank(folder_of(path)) < kFolders.size();
}

bool is_source(std::string_view path) {
  return path.ends_with(".cc") || path.ends_with(".h");
}

std::string directory_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(path.substr(0, slash == path.npos ? 0 : slash));
}

/// `sql` of `policy/sql/sql_words.h`; nothing of what stands in the folder itself.
std::string room_of(std::string_view path) {
  const std::string directory = directory_of(path);
  const std::size_t slash = directory.find('/');
  return slash == directory.npos ? "" : directory.substr(slash + 1);
}

struct Line {
  std::size_t number;
  std::string text;
};

std::vector<Line> lines_of(const std::string& content) {
  std::istringstream input(content);
  std::vector<Line> lines;
  for (std::string text; std::getline(input, text);)
    lines.push_back({lines.size() + 1, text});
  return lines;
}

/// Characters of UTF-8 text.
std::ptrdiff_t columns(std::string_view text) {
  return std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; });
}

std::string place(const std::string& path, std::size_t line) {
  return path + ":" + std::to_string(line) + ": ";
}

/// What a line includes, between its quotes or angles; empty where it includes nothing.
std::string included(std::string_view line) {
  constexpr std::string_view kInclude = "#include ";
  if (!line.starts_with(kInclude)) return "";
  const std::string_view rest = line.substr(kInclude.size());
  const std::size_t end = rest.find_first_of("\">", 1);
  return end == rest.npos ? "" : std::string(rest.substr(1, end - 1));
}

/// Lines of our sources that hold one of `words`.
std::vector<std::string> lines_with(const Tree& tree, std::span<const std::string_view> words,
                                    bool (*is_meant)(std::string_view path)) {
  std::vector<std::string> found;
  for (const auto& [path, content] : tree) {
    if (!is_source(path) || !is_meant(path)) continue;
    for (const Line& line : lines_of(content)) {
      for (const std::string_view word : words) {
        if (!line.text.contains(word)) continue;
        found.push_back(place(path, line.number) + std::string(word));
      }
    }
  }
  return found;
}

std::set<std::string> words_of(const std::string& text) {
  std::istringstream input(text);
  std::set<std::string> words;
  for (std::string word; input >> word;) {
    std::erase_if(word, [](char byte) { return byte == '(' || byte == ')' || byte == '"'; });
    words.insert(word);
  }
  return words;
}

/// A source is built when a CMakeLists.txt of its folder, or of one above, names it.
bool is_built(const Tree& tree, const std::string& path) {
  std::string directory = directory_of(path);
  while (true) {
    const auto list =
        tree.find(directory.empty() ? "CMakeLists.txt" : directory + "/CMakeLists.txt");
    const std::string below = directory.empty() ? path : path.substr(directory.size() + 1);
    if (list != tree.end() && words_of(list->second).contains(below)) return true;
    if (directory.empty()) return false;
    directory = directory_of(directory);
  }
}

/// A fuzz target is named without its prefix: `bartizan_fuzz(json …)` builds fuzz_json.cc.
bool is_fuzz_target(const Tree& tree, const std::string& path) {
  constexpr std::string_view kPrefix = "fuzz/fuzz_";
  if (!path.starts_with(kPrefix)) return false;
  const auto list = tree.find("fuzz/CMakeLists.txt");
  if (list == tree.end()) return false;
  const std::string name = path.substr(kPrefix.size(), path.size() - kPrefix.size() - 3);
  return list->second.contains("bartizan_fuzz(" + name + " ");
}

/// The type that a line begins to define: `Reader` of `class Reader final {` or `using Reader = …`;
/// nothing where it only declares one, or one that belongs to another type.
std::string defined_type(const std::string& line) {
  std::istringstream words(line);
  std::string kind, name, next;
  words >> kind >> name;
  if (kind == "enum" && (name == "class" || name == "struct")) words >> name;
  if (name.starts_with("[[")) words >> name;
  words >> next;
  if (line.ends_with(';') && kind != "using" && !line.contains('{')) return "";
  const bool is_alias = line.starts_with("using ") && next == "=";
  const bool is_class = line.starts_with("class ") || line.starts_with("struct ");
  const bool is_enum = line.starts_with("enum ");
  if (is_alias || ((is_class || is_enum) && !next.empty())) return name;
  return "";
}

/// The text of a `///` or `///<` comment in a line; empty for none. A blank stands behind these
/// slashes, as it does not in `file:///srv`.
std::string_view doc_comment(std::string_view line) {
  const std::size_t begin = std::min(line.find("/// "), line.find("///< "));
  return begin == line.npos ? "" : line.substr(line.find(' ', begin) + 1);
}

std::string_view without_indent(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

/// Whether a line is a comment alone that goes on with the one of the line before.
bool goes_on(std::string_view line, std::string_view before) {
  const std::string_view text = without_indent(line);
  const std::string_view above = without_indent(before);
  if (text.starts_with("///<")) return before.contains("///<");
  return text.starts_with("///") && above.starts_with("///") && !above.starts_with("///<");
}

/// Targets of `[text](target)` in one line.
std::vector<std::string> links_of(const std::string& line) {
  std::vector<std::string> links;
  for (std::size_t at = line.find("]("); at != line.npos; at = line.find("](", at + 1)) {
    const std::size_t end = line.find(')', at);
    if (end == line.npos) break;
    links.push_back(line.substr(at + 2, end - at - 2));
  }
  return links;
}

bool leads_outside(std::string_view link) {
  return link.contains("://") || link.starts_with("mailto:") || link.starts_with('#');
}

bool exists_in(const Tree& tree, const std::string& path) {
  if (tree.contains(path)) return true;
  const auto below = tree.lower_bound(path + "/");
  return below != tree.end() && below->first.starts_with(path + "/");
}

/// The path that a link on a page means; empty for the root itself.
std::string target_of(const std::string& page, const std::string& link) {
  const std::filesystem::path base = directory_of(page);
  std::string target = (base / link.substr(0, link.find('#'))).lexically_normal().string();
  if (target.ends_with('/')) target.pop_back();
  return target == "." ? "" : target;
}

bool is_left_out(const std::filesystem::path& name) {
  static const std::set<std::string> kLeftOut = {".git",         "build",  "var",
                                                 "node_modules", "corpus", ".cache"};
  return kLeftOut.contains(name.string());
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Pages may link to any file, so every file is known; only what rules read is read.
bool is_read(const std::filesystem::path& path) {
  const std::string extension = path.extension();
  return is_source(path.string()) || extension == ".md" || extension == ".txt";
}

}  // namespace

Tree read_tree(const std::filesystem::path& root) {
  Tree tree;
  auto entry = std::filesystem::recursive_directory_iterator(root);
  for (; entry != std::filesystem::recursive_directory_iterator(); ++entry) {
    if (is_left_out(entry->path().filename())) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file()) {
      const std::string path = std::filesystem::relative(entry->path(), root).string();
      tree[path] = is_read(path) ? content_of(entry->path()) : "";
    }
  }
  return tree;
}

std::vector<std::string> wrong_includes(const Tree& tree) {
  std::vector<std::string> found;
  for (const auto& [path, content] : tree) {
    if (!is_ours(path) || !is_source(path)) continue;
    for (const Line& line : lines_of(content)) {
      const std::string target = included(line.text);
      const bool is_foreign = target.starts_with("tests/") || target.starts_with("fuzz/");
      const bool is_above = is_ours(target) && rank(folder_of(target)) > rank(folder_of(path));
      if (is_above || is_foreign) found.push_back(place(path, line.number) + target);
    }
  }
  return found;
}

std::vector<std::string> wrong_rooms(const Tree& tree) {
  std::vector<std::string> found;
  for (const auto& [path, content] : tree) {
    const auto rooms = kRooms.find(folder_of(path));
    if (rooms == kRooms.end() || !is_source(path) || path == "gateway/main.cc") continue;
    const auto place_in = [&](std::string_view file) {
      return std::ranges::find(rooms->second, room_of(file)) - rooms->second.begin();
    };
    const auto here = place_in(path);
    if (here == std::ssize(rooms->second)) {
      found.push_back(path + ": stands in no room");
      continue;
    }
    for (const Line& line : lines_of(content)) {
      const std::string target = included(line.text);
      if (folder_of(target) != folder_of(path) || place_in(target) <= here) continue;
      found.push_back(place(path, line.number) + target);
    }
  }
  return found;
}

std::vector<std::string> unsorted_lists(const Tree& tree) {
  std::vector<std::string> found;
  for (const auto& [path, content] : tree) {
    if (!path.ends_with("CMakeLists.txt")) continue;
    std::string before;
    for (const Line& line : lines_of(content)) {
      std::string source = line.text;
      if (source.ends_with(')')) source.pop_back();
      const bool is_source_alone = source.starts_with("  ") && source.ends_with(".cc") &&
                                   source.find(' ', 2) == source.npos && source[2] != '$';
      if (is_source_alone && source < before)
        found.push_back(place(path, line.number) + source.substr(2));
      before = is_source_alone ? source : "";
    }
  }
  return found;
}

std::vector<std::string> wrong_machinery(const Tree& tree) {
  static constexpr std::array<std::string_view, 16> kMachinery = {
      "#include <thread>",      "#include <mutex>",       "#include <condition_variable>",
      "#include <future>",      "#include <sys/socket.h", "#include <netinet/",
      "#include <arpa/",        "#include <netdb.h>",     "#include <poll.h>",
      "#include <sys/epoll.h>", "#include <sys/wait.h>",  "#include <spawn.h>",
      "#include <boost/asio",   "#include <boost/beast",  "_clock::now(",
      "#include <ctime>"};
  return lines_with(tree, kMachinery, [](std::string_view path) {
    return is_ours(path) && folder_of(path) != "gateway";
  });
}

std::vector<std::string> unlent_time(const Tree& tree) {
  static constexpr std::array<std::string_view, 8> kUnlent = {
      "lock::now(",   "std::thread(", "std::thread{", "threads_.emplace_back",
      "std::jthread", "std::async(",  "std::time(",   "clock_gettime("};
  return lines_with(tree, kUnlent, [](std::string_view path) {
    return path.starts_with("gateway/") && !path.starts_with("gateway/runtime/clock.");
  });
}

std::vector<std::string> dead_files(const Tree& tree) {
  std::set<std::string> all_included;
  for (const auto& [path, content] : tree) {
    if (!is_source(path)) continue;
    for (const Line& line : lines_of(content))
      all_included.insert(included(line.text));
  }
  std::vector<std::string> found;
  for (const auto& [path, content] : tree) {
    if (path.ends_with(".h") && !all_included.contains(path)) {
      found.push_back(path + ": nobody includes it");
    }
    if (path.ends_with(".cc") && !is_built(tree, path) && !is_fuzz_target(tree, path)) {
      found.push_back(path + ": no CMakeLists.txt names it");
    }
  }
  return found;
}

std::vector<std::string> dead_links(const Tree& tree) {
  std::vector<std::string> found;
  for (const auto& [path, content] : tree) {
    if (!path.ends_with(".md")) continue;
    for (const Line& line : lines_of(content)) {
      for (const std::string& link : links_of(line.text)) {
        if (leads_outside(link)) continue;
        const std::string target = target_of(path, link);
        if (!target.empty() && !exists_in(tree, target)) {
          found.push_back(place(path, line.number) + link);
        }
      }
    }
  }
  return found;
}

std::vector<std::string> twice_defined(const Tree& tree) {
  std::vector<std::string> found;
  std::map<std::string, std::string> defined;
  for (const auto& [path, content] : tree) {
    if (!is_ours(path) || !path.ends_with(".h")) continue;
    for (const Line& line : lines_of(content)) {
      const std::string name = defined_type(line.text);
      if (name.empty()) continue;
      const auto [first, is_new] = defined.emplace(name, path);
      if (!is_new) found.push_back(place(path, line.number) + name + " of " + first->second);
    }
  }
  return found;
}

std::vector<std::string> long_files(const Tree& tree) {
  std::vector<std::string> found;
  for (const auto& [path, content] : tree) {
    if (!is_ours(path) || !is_source(path)) continue;
    const auto lines = static_cast<std::size_t>(std::ranges::count(content, '\n'));
    if (lines > kLinesMax) found.push_back(path + ": " + std::to_string(lines) + " lines");
  }
  return found;
}

std::vector<std::string> wide_lines(const Tree& tree) {
  std::map<std::string, std::size_t> allowed;
  if (const auto list = tree.find("tests/house/wide_lines.txt"); list != tree.end()) {
    std::istringstream entries(list->second);
    std::size_t count = 0;
    for (std::string page; entries >> page >> count;)
      allowed[page] = count;
  }
  std::vector<std::string> found;
  for (const auto& [path, content] : tree) {
    if (!path.ends_with(".md")) continue;
    const auto lines = lines_of(content);
    const auto wide = static_cast<std::size_t>(std::ranges::count_if(lines, [](const Line& line) {
      return columns(line.text) > kColumnsMax && !line.text.starts_with('|');
    }));
    const std::size_t most = allowed.contains(path) ? allowed[path] : 0;
    const std::string counted = path + ": " + std::to_string(wide) + " lines over 100 columns, ";
    if (wide > most) found.push_back(counted + std::to_string(most) + " allowed");
    if (wide < most) found.push_back(counted + "so write that number into wide_lines.txt");
  }
  return found;
}

std::vector<std::string> leaning_comments(const Tree& tree) {
  static constexpr std::array<std::string_view, 3> kLeaning = {"The same", "Likewise", "As above"};
  std::vector<std::string> found;
  for (const auto& [path, content] : tree) {
    if (!path.ends_with(".h") || folder_of(path) == "tests") continue;
    std::string before;
    for (const Line& line : lines_of(content)) {
      const std::string_view text = goes_on(line.text, before) ? "" : doc_comment(line.text);
      for (const std::string_view words : kLeaning)
        if (text.starts_with(words)) found.push_back(place(path, line.number) + std::string(words));
      before = line.text;
    }
  }
  return found;
}

std::vector<std::string> banned_words(const Tree& tree) {
  static constexpr std::array<std::string_view, 8> kBanned = {
      "std::regex", " system(",        "popen(",     "TODO",
      "FIXME",      "not implemented", "std::exit(", "using namespace std;"};
  std::vector<std::string> found = lines_with(tree, kBanned, [](std::string_view path) {
    return is_ours(path) || folder_of(path) == "fuzz";
  });
  // An exception that is caught without its kind and dropped hides its reason for good.
  for (const auto& [path, content] : tree) {
    if (!is_ours(path) || !is_source(path)) continue;
    std::string packed = content;
    std::erase_if(packed, [](char byte) { return byte == ' ' || byte == '\n'; });
    if (packed.contains("catch(...){}")) found.push_back(path + ": an exception is swallowed");
  }
  return found;
}

std::vector<std::string> folders_without_page(const Tree& tree) {
  std::set<std::string> folders;
  for (const auto& [path, content] : tree) {
    if (path.contains('/') && !path.starts_with('.')) folders.emplace(folder_of(path));
    if (kRooms.contains(folder_of(path)) && is_source(path)) folders.emplace(directory_of(path));
  }
  std::vector<std::string> found;
  for (const std::string& folder : folders) {
    if (!tree.contains(folder + "/README.md")) found.push_back(folder + ": no README.md");
  }
  return found;
}

}  // namespace bartizan
