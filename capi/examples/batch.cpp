// Answers many URLs at a time, in C++17: prints each URL of standard input with its verdict in front,
// as `robomaton query` does:
//
//     batch IMAGE AGENT [USAGE] <urls.txt
//
// Build it with
//
//     c++ -std=c++17 batch.cpp $(pkg-config --cflags --libs robomaton) -o batch
#include <robomaton.h>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

// The handles, each ended by its own function.
template <typename Handle, RobomatonCode (*end)(Handle **)>
struct End {
    void operator()(Handle *handle) const { end(&handle); }
};
using Image = std::unique_ptr<RobomatonImage, End<RobomatonImage, robomaton_image_close>>;
using Crawler = std::unique_ptr<RobomatonCrawler, End<RobomatonCrawler, robomaton_crawler_free>>;
using Usage = std::unique_ptr<RobomatonUsage, End<RobomatonUsage, robomaton_usage_free>>;

void check(RobomatonCode code, const RobomatonError &error) {
    if (code != ROBOMATON_CODE_OK) {
        throw std::runtime_error(error.message);
    }
}

RobomatonString string_of(std::string_view text) { return {text.data(), text.size()}; }

// A line without the ASCII white space around it, as the command reads it.
std::string trimmed(const std::string &line) {
    const char *space = " \t\n\f\r";
    std::size_t begin = line.find_first_not_of(space);
    return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(space) - begin + 1);
}

// A URL whose bytes beyond ASCII are percent-encoded, which is the same URL.
std::string encoded(std::string_view url) {
    std::string text;
    for (unsigned char byte : url) {
        if (byte < 0x80) {
            text.push_back(static_cast<char>(byte));
        } else {
            char triplet[4];
            std::snprintf(triplet, sizeof triplet, "%%%02X", byte);
            text += triplet;
        }
    }
    return text;
}

class Asker {
  public:
    Asker(const char *path, std::string_view agent, const char *use) {
        RobomatonError error;
        RobomatonImage *opened = nullptr;
        check(robomaton_image_open(path, nullptr, &opened, &error), error);
        image.reset(opened);
        RobomatonCrawler *resolved = nullptr;
        RobomatonString name = string_of(agent);
        check(robomaton_crawler_new(image.get(), &name, 1, 0, &resolved, &error), error);
        crawler.reset(resolved);
        if (use != nullptr) {
            RobomatonUsage *named = nullptr;
            check(robomaton_usage_new(image.get(), use, std::strlen(use), nullptr, 0, &named, &error), error);
            usage.reset(named);
        }
    }

    // The verdicts about URLs. Those that are not UTF-8 are encoded in place.
    std::vector<RobomatonVerdict> decide(std::vector<std::string> urls) const {
        std::vector<RobomatonString> strings;
        for (const std::string &url : urls) {
            strings.push_back(string_of(url));
        }
        std::vector<RobomatonVerdict> verdicts(urls.size());
        std::size_t done = 0;
        while (done < urls.size()) {
            RobomatonError error;
            RobomatonCode code = robomaton_decide_many(image.get(), crawler.get(), usage.get(), &strings[done],
                                                       urls.size() - done, &verdicts[done], &error);
            if (code != ROBOMATON_CODE_INVALID_UTF8) {
                check(code, error);
                break;
            }
            done += error.index;
            urls[done] = encoded(urls[done]);
            strings[done] = string_of(urls[done]);
        }
        return verdicts;
    }

  private:
    Image image;
    Crawler crawler;
    Usage usage;
};

void answer(const Asker &asker, const std::vector<std::string> &urls) {
    std::vector<RobomatonVerdict> verdicts = asker.decide(urls);
    for (std::size_t i = 0; i < urls.size(); i++) {
        std::cout << robomaton_decision_name(verdicts[i].verdict) << '\t' << urls[i] << '\n';
    }
}

}  // namespace

int main(int count, char **arguments) {
    if (count < 3 || count > 4) {
        std::cerr << "usage: batch IMAGE AGENT [USAGE] <URLS\n";
        return 2;
    }
    try {
        Asker asker(arguments[1], arguments[2], count == 4 ? arguments[3] : nullptr);
        std::vector<std::string> urls;
        std::string line;
        while (std::getline(std::cin, line)) {
            std::string url = trimmed(line);
            if (url.empty()) {
                continue;
            }
            urls.push_back(url);
            if (urls.size() == 1000) {
                answer(asker, urls);
                urls.clear();
            }
        }
        answer(asker, urls);
    } catch (const std::exception &error) {
        std::cerr << "batch: " << error.what() << '\n';
        return 2;
    }
    return std::cout.flush() ? 0 : 2;
}
