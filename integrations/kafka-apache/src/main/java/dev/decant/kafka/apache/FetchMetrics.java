package dev.decant.kafka.apache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.Gauge;

/**
 * Metrics of fetches and records, under the names of Apache's {@code consumer-fetch-manager-metrics}. The owner of the
 * client's loop counts fetches. The polling thread counts records, once per partition and poll.
 */
final class FetchMetrics implements RecordCollector.RecordSizes {
  private static final String GROUP = "consumer-fetch-manager-metrics";
  private static final double NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  /** How long metrics of a topic stay after its last read, so that they survive rebalances. */
  private static final long TOPIC_LASTS_MILLIS = TimeUnit.MINUTES.toMillis(5);
  private static final String OF_TOPIC = " for a topic";

  private final MetricSet metrics;
  private final RecordedMetric records;
  private final RecordedMetric bytes;
  private final RecordedMetric sizes;
  private final RecordedMetric counts;
  private final RecordedMetric latencies;
  private final RecordedMetric throttle;
  private final RecordedMetric lags;
  private final RecordedMetric leads;
  // Polling thread only.
  private final Map<String, Topic> topics = new HashMap<>();
  /** Metrics of partitions, by topic and number. */
  private final Map<String, Map<Integer, Partition>> partitions = new HashMap<>();
  /** Topics with records from fetch responses that are not used up yet. */
  private final Set<Topic> begun = new HashSet<>();
  private long begunRecords;
  private long begunBytes;
  /** Fetch responses that were used up in the current poll. */
  private int used;

  /** The metrics of one topic. */
  private final class Topic {
    final RecordedMetric records;
    final RecordedMetric bytes;
    final RecordedMetric sizes;
    final RecordedMetric counts;
    /** When its records were last handed out. */
    long usedMillis;
    // Records and bytes that wait for the end of their fetch response, as for all topics together.
    long begunRecords;
    long begunBytes;

    Topic(String name) {
      List<Map<String, String>> tags = tags(name, Map.of());
      records = records(tags, OF_TOPIC);
      bytes = bytes(tags, OF_TOPIC);
      sizes = sizes(tags, OF_TOPIC);
      counts = metrics.metric(GROUP, "counts", tags).mean("records-per-request-avg",
          "The average number of records in each request for a topic");
    }

    void remove() {
      for (RecordedMetric metric : List.of(records, bytes, sizes, counts)) {
        metric.remove();
      }
    }
  }

  /** The metrics of one partition. */
  private final class Partition {
    private final RecordedMetric lags;
    private final RecordedMetric leads;
    private final List<MetricName> replicas = new ArrayList<>();
    private volatile int replica = -1;

    Partition(String topic, int number) {
      List<Map<String, String>> tags = tags(topic, Map.of("partition", Integer.toString(number)));
      lags = metrics.metric(GROUP, "lag", tags).value("records-lag", "The latest lag of the partition")
          .max("records-lag-max", "The max lag of the partition")
          .mean("records-lag-avg", "The average lag of the partition");
      leads = metrics.metric(GROUP, "lead", tags).value("records-lead", "The latest lead of the partition")
          .min("records-lead-min", "The min lead of the partition")
          .mean("records-lead-avg", "The average lead of the partition");
      for (Map<String, String> labels : tags) {
        MetricName name = metrics.registry().metricName("preferred-read-replica", GROUP,
            "The current read replica for the partition, or -1 if reading from leader", labels);
        if (metrics.registry().metric(name) == null) {
          metrics.registry().addMetric(name, (Gauge<Integer>) (config, now) -> replica);
          replicas.add(name);
        }
      }
    }

    void remove() {
      lags.remove();
      leads.remove();
      replicas.forEach(metrics.registry()::removeMetric);
    }
  }

  FetchMetrics(MetricSet metrics) {
    this.metrics = metrics;
    List<Map<String, String>> ofClient = List.of(Map.of());
    records = records(ofClient, "");
    bytes = bytes(ofClient, "");
    sizes = sizes(ofClient, "");
    counts = metric("counts").mean("records-per-request-avg", "The average number of records in each request");
    latencies = metric("latencies").mean("fetch-latency-avg", "The average time taken for a fetch request.")
        .max("fetch-latency-max", "The max time taken for any fetch request.")
        .counts("fetch", "The number of fetch requests per second.", "The total number of fetch requests.");
    throttle = metric("throttle").mean("fetch-throttle-time-avg", "The average throttle time in ms")
        .max("fetch-throttle-time-max", "The maximum throttle time in ms");
    lags = metric("lag").max("records-lag-max",
        "The maximum lag in terms of number of records for any partition in this window. NOTE: This is based on current"
            + " offset and not committed offset");
    leads = metric("lead").min("records-lead-min",
        "The minimum lead in terms of number of records for any partition in this window");
  }

  private RecordedMetric metric(String key) {
    return metrics.metric(GROUP, key);
  }

  private RecordedMetric records(List<Map<String, String>> tags, String of) {
    return metrics.metric(GROUP, "records", tags).sums("records-consumed",
        "The average number of records consumed per second" + of, "The total number of records consumed" + of);
  }

  private RecordedMetric bytes(List<Map<String, String>> tags, String of) {
    return metrics.metric(GROUP, "bytes", tags).sums("bytes-consumed",
        "The average number of bytes consumed per second" + of, "The total number of bytes consumed" + of);
  }

  private RecordedMetric sizes(List<Map<String, String>> tags, String of) {
    return metrics.metric(GROUP, "sizes", tags)
        .mean("fetch-size-avg", "The average number of bytes fetched per request" + of)
        .max("fetch-size-max", "The maximum number of bytes fetched per request" + of);
  }

  /**
   * Returns a topic's tags as the release of kafka-clients has them: without dots before 4.1, and in both forms from
   * then on.
   */
  private static List<Map<String, String>> tags(String topic, Map<String, String> more) {
    List<Map<String, String>> all = new ArrayList<>();
    String plain = topic.replace('.', '_');
    if (ClientsRelease.TAGS_HAVE_DOTS && !plain.equals(topic)) {
      all.add(tag(topic, more));
    }
    all.add(tag(plain, more));
    return all;
  }

  private static Map<String, String> tag(String topic, Map<String, String> more) {
    Map<String, String> tags = new HashMap<>(more);
    tags.put("topic", topic);
    return tags;
  }

  private Topic topic(String name) {
    return topics.computeIfAbsent(name, Topic::new);
  }

  // Owner of the loop.

  void responded(long nanos) {
    latencies.record(nanos / NANOS_PER_MILLI, metrics.now());
  }

  void throttled(int millis) {
    throttle.record(millis, metrics.now());
  }

  // Polling thread.

  @Override
  public void consumed(TopicPartition partition, int count, long size) {
    long now = metrics.now();
    records.record(count, now);
    bytes.record((double) size, now);
    Topic topic = topic(partition.topic());
    topic.usedMillis = now;
    topic.records.record(count, now);
    topic.bytes.record((double) size, now);
    begun.add(topic);
    topic.begunRecords += count;
    topic.begunBytes += size;
    begunRecords += count;
    begunBytes += size;
  }

  /** Notes that the last records of a fetch response are handed out, within a poll. */
  void used() {
    used++;
  }

  /** Notes the end of a poll: the records handed out from used-up responses are the size of these responses. */
  void pollEnds() {
    if (used > 0 && begunRecords > 0) {
      long now = metrics.now();
      for (Topic topic : begun) {
        record(topic.sizes, topic.begunBytes, topic.counts, topic.begunRecords, now);
        topic.begunRecords = 0;
        topic.begunBytes = 0;
      }
      record(sizes, begunBytes, counts, begunRecords, now);
      begun.clear();
      begunRecords = 0;
      begunBytes = 0;
    }
    used = 0;
  }

  /** Records sizes. Mostly there is one response; of several, each gets the mean. */
  private void record(RecordedMetric size, long bytesOfAll, RecordedMetric count, long recordsOfAll, long now) {
    for (int i = 0; i < used; i++) {
      size.record((double) bytesOfAll / used, now);
      count.record((double) recordsOfAll / used, now);
    }
  }

  void delivered(String topic, int number, long lag, long lead, int replica) {
    long now = metrics.now();
    Partition partition = partition(topic, number);
    partition.replica = replica;
    if (lag >= 0) {
      partition.lags.record((double) lag, now);
      lags.record((double) lag, now);
    }
    if (lead >= 0) {
      partition.leads.record((double) lead, now);
      leads.record((double) lead, now);
    }
  }

  private Partition partition(String topic, int number) {
    return partitions.computeIfAbsent(topic, key -> new HashMap<>()).computeIfAbsent(number,
        key -> new Partition(topic, number));
  }

  /** Removes partitions that are no longer assigned, and topics that were not read for a long time. */
  void retain(Set<TopicPartition> assigned) {
    retain(assigned, metrics.now() - TOPIC_LASTS_MILLIS);
  }

  /**
   * Removes partitions that are no longer assigned, and topics without assigned partitions that were not read since a
   * time.
   */
  void retain(Set<TopicPartition> assigned, long sinceMillis) {
    Set<String> present = new HashSet<>();
    assigned.forEach(p -> present.add(p.topic()));
    topics.entrySet().removeIf(entry -> {
      Topic topic = entry.getValue();
      boolean gone = !present.contains(entry.getKey()) && topic.usedMillis < sinceMillis;
      if (gone) {
        begun.remove(topic);
        topic.remove();
      }
      return gone;
    });
    partitions.forEach((topic, all) -> all.entrySet().removeIf(entry -> {
      boolean gone = !assigned.contains(new TopicPartition(topic, entry.getKey()));
      if (gone) {
        entry.getValue().remove();
      }
      return gone;
    }));
    partitions.values().removeIf(Map::isEmpty);
  }
}
