#include "audit/metrics.h"

#include <algorithm>

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include "audit/series_table.h"
#include "schemas/base/limits.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr std::string_view kOther = "other";
/// Label sets that are kept in full. The rest of `metric_series_max` is for sets whose open labels
/// became `other`, so that verdicts and reasons stay visible under a flood of names.
constexpr std::size_t kFullSeriesMax = limits::metric_series_max * 7 / 8;

/// Observations of one series, by bucket. The last bucket is for values above all bounds.
struct Observations {
  std::array<std::uint64_t, kBucketsMax + 1> buckets{};
  double sum = 0;
};

/// One family's series and their values, by number of series.
struct FamilyValues {
  SeriesTable series;
  std::vector<double> values;
  std::vector<Observations> observations;
};

/// The labels of one update, as many as the family has, in order.
struct LabelSet {
  std::array<std::string_view, kLabelsMax> values{};
  std::size_t count = 0;
  Labels view() const { return {values.data(), count}; }
};

LabelSet label_set(const MetricFamily& family, Labels labels) {
  LabelSet set{.count = std::min(family.labels.size(), kLabelsMax)};
  std::copy_n(labels.begin(), std::min(labels.size(), set.count), set.values.begin());
  return set;
}

// One label that is not UTF-8 makes Prometheus refuse the whole scrape.
bool is_usable(std::string_view label) {
  return label.size() <= limits::name_bytes_max && is_valid_utf8(label);
}

// Labels whose values peers can invent. All others come from the configuration or from enums of the
// gateway.
bool is_open(std::string_view label_name) {
  return label_name == "tool" || label_name == "tool_id" || label_name == "gen_ai_tool_name" ||
         label_name == "mcp_method_name";
}

prometheus::MetricType prometheus_type(MetricType type) {
  switch (type) {
    case MetricType::counter:
      return prometheus::MetricType::Counter;
    case MetricType::gauge:
      return prometheus::MetricType::Gauge;
    case MetricType::histogram:
      return prometheus::MetricType::Histogram;
  }
  return prometheus::MetricType::Untyped;
}

prometheus::ClientMetric::Histogram histogram(const Observations& observed,
                                              std::span<const double> bounds) {
  prometheus::ClientMetric::Histogram out;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    out.sample_count += observed.buckets[i];
    out.bucket.push_back({.cumulative_count = out.sample_count, .upper_bound = bounds[i]});
  }
  out.sample_count += observed.buckets[bounds.size()];
  out.sample_sum = observed.sum;
  return out;
}

prometheus::ClientMetric sample(const MetricFamily& family, const FamilyValues& values,
                                std::size_t number) {
  prometheus::ClientMetric metric;
  const std::vector<std::string>& labels = values.series.labels(number);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    metric.label.push_back({std::string(family.labels[i]), labels[i]});
  }
  switch (family.type) {
    case MetricType::counter:
      metric.counter.value = values.values[number];
      break;
    case MetricType::gauge:
      metric.gauge.value = values.values[number];
      break;
    case MetricType::histogram:
      metric.histogram = histogram(values.observations[number], family.buckets);
      break;
  }
  return metric;
}

prometheus::MetricFamily collect(const MetricFamily& family, const FamilyValues& values) {
  prometheus::MetricFamily out{.name = std::string(family.name),
                               .help = std::string(family.help),
                               .type = prometheus_type(family.type),
                               .metric = {}};
  for (std::size_t i = 0; i < values.series.size(); ++i) {
    out.metric.push_back(sample(family, values, i));
  }
  // A counter without events is 0, not absent: alerts must work from the start.
  const bool is_count = family.type == MetricType::counter && family.labels.empty();
  if (is_count && out.metric.empty()) out.metric.emplace_back();
  return out;
}

}  // namespace

struct MetricShard::State {
  std::array<FamilyValues, kMetricCount> families;

  static const MetricFamily& family(Metric metric) {
    return metric_families()[static_cast<std::size_t>(metric)];
  }
  FamilyValues& of(Metric metric) { return families[static_cast<std::size_t>(metric)]; }

  std::uint32_t number_of(Metric metric, Labels labels);
  std::uint32_t number_of_new(Metric metric, LabelSet set);
  std::uint32_t number_of_other(Metric metric, LabelSet set);
  std::uint32_t insert(Metric metric, Labels labels);
  void merge(Metric metric, const FamilyValues& other);
};

std::uint32_t MetricShard::State::number_of(Metric metric, Labels labels) {
  // Usually the number of labels is right, and they need not be copied for the look-up.
  LabelSet set;
  if (labels.size() != family(metric).labels.size()) {
    set = label_set(family(metric), labels);
    labels = set.view();
  }
  const std::uint32_t number = of(metric).series.find(labels);
  if (number != SeriesTable::kNone) return number;
  return number_of_new(metric, label_set(family(metric), labels));
}

std::uint32_t MetricShard::State::number_of_new(Metric metric, LabelSet set) {
  const bool usable = std::ranges::all_of(set.view(), is_usable);
  if (usable && of(metric).series.size() < kFullSeriesMax) return insert(metric, set.view());
  if (metric != Metric::series_dropped) {
    const std::string_view name = family(metric).name;
    of(Metric::series_dropped).values[number_of(Metric::series_dropped, {&name, 1})] += 1;
  }
  return number_of_other(metric, set);
}

// First the labels that peers can invent become `other`, then all of them.
std::uint32_t MetricShard::State::number_of_other(Metric metric, LabelSet set) {
  const SeriesTable& series = of(metric).series;
  for (std::size_t i = 0; i < set.count; ++i) {
    const bool open = is_open(family(metric).labels[i]);
    if (open || !is_usable(set.values[i])) set.values[i] = kOther;
  }
  std::uint32_t number = series.find(set.view());
  if (number != SeriesTable::kNone) return number;
  if (series.size() + 1 < limits::metric_series_max) return insert(metric, set.view());
  std::ranges::fill(set.values, kOther);
  number = series.find(set.view());
  return number != SeriesTable::kNone ? number : insert(metric, set.view());
}

std::uint32_t MetricShard::State::insert(Metric metric, Labels labels) {
  FamilyValues& values = of(metric);
  const std::uint32_t number = values.series.insert(labels);
  values.values.push_back(0);
  if (family(metric).type == MetricType::histogram) values.observations.emplace_back();
  return number;
}

void MetricShard::State::merge(Metric metric, const FamilyValues& other) {
  for (std::uint32_t i = 0; i < other.series.size(); ++i) {
    const std::vector<std::string>& texts = other.series.labels(i);
    const std::vector<std::string_view> labels(texts.begin(), texts.end());
    const std::uint32_t number = number_of(metric, labels);
    of(metric).values[number] += other.values[i];
    if (i >= other.observations.size()) continue;
    Observations& sum = of(metric).observations[number];
    const Observations& added = other.observations[i];
    for (std::size_t b = 0; b < sum.buckets.size(); ++b)
      sum.buckets[b] += added.buckets[b];
    sum.sum += added.sum;
  }
}

MetricShard::MetricShard() : state_(std::make_unique<State>()) {}
MetricShard::~MetricShard() = default;
MetricShard::MetricShard(MetricShard&&) noexcept = default;
MetricShard& MetricShard::operator=(MetricShard&&) noexcept = default;
MetricShard::MetricShard(const MetricShard& other)
    : state_(std::make_unique<State>(*other.state_)) {}

void MetricShard::add(Metric metric, std::span<const std::string_view> labels, double amount) {
  // A decreasing counter would look like a restart.
  if (State::family(metric).type == MetricType::counter && !(amount >= 0)) return;
  const std::uint32_t number = state_->number_of(metric, labels);
  state_->of(metric).values[number] += amount;
}

void MetricShard::set(Metric metric, std::span<const std::string_view> labels, double value) {
  const std::uint32_t number = state_->number_of(metric, labels);
  state_->of(metric).values[number] = value;
}

void MetricShard::observe(Metric metric, std::span<const std::string_view> labels, double seconds) {
  if (State::family(metric).type != MetricType::histogram || !(seconds >= 0)) return;
  const std::uint32_t number = state_->number_of(metric, labels);
  const std::span<const double> bounds = State::family(metric).buckets;
  const auto bucket = std::ranges::lower_bound(bounds, seconds) - bounds.begin();
  Observations& observed = state_->of(metric).observations[number];
  observed.buckets[static_cast<std::size_t>(bucket)] += 1;
  observed.sum += seconds;
}

void MetricShard::merge(const MetricShard& other) {
  for (std::size_t i = 0; i < kMetricCount; ++i) {
    state_->merge(static_cast<Metric>(i), other.state_->families[i]);
  }
}

std::string MetricShard::serialise() const {
  std::vector<prometheus::MetricFamily> families;
  families.reserve(kMetricCount);
  for (std::size_t i = 0; i < kMetricCount; ++i) {
    families.push_back(collect(metric_families()[i], state_->families[i]));
  }
  return prometheus::TextSerializer().Serialize(families);
}

std::size_t MetricShard::series(Metric metric) const {
  return state_->of(metric).series.size();
}

}  // namespace bartizan
