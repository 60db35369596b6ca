package dev.decant.kafka.clientmetrics;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The metrics that can be pushed, under the names of Apache's clients. Those that KIP-714 requires are marked. */
enum PushedMetric {
  PRODUCER_CONNECTION_CREATION_TOTAL("producer.connection.creation.total", true),
  PRODUCER_CONNECTION_CREATION_RATE("producer.connection.creation.rate", true),
  PRODUCER_CONNECTION_COUNT("producer.connection.count", false),
  PRODUCER_NODE_REQUEST_LATENCY_AVG("producer.node.request.latency.avg", true),
  PRODUCER_NODE_REQUEST_LATENCY_MAX("producer.node.request.latency.max", true),
  PRODUCER_THROTTLE_TIME_AVG("producer.produce.throttle.time.avg", true),
  PRODUCER_THROTTLE_TIME_MAX("producer.produce.throttle.time.max", true),
  PRODUCER_RECORD_QUEUE_TIME_AVG("producer.record.queue.time.avg", true),
  PRODUCER_RECORD_QUEUE_TIME_MAX("producer.record.queue.time.max", true),
  PRODUCER_REQUEST_LATENCY_AVG("producer.request.latency.avg", false),
  PRODUCER_REQUEST_LATENCY_MAX("producer.request.latency.max", false),
  PRODUCER_RECORD_SEND_TOTAL("producer.record.send.total", false),
  PRODUCER_RECORD_SEND_RATE("producer.record.send.rate", false),
  PRODUCER_RECORD_ERROR_TOTAL("producer.record.error.total", false),
  PRODUCER_RECORD_ERROR_RATE("producer.record.error.rate", false),
  PRODUCER_BATCH_SIZE_AVG("producer.batch.size.avg", false),
  PRODUCER_RESPONSE_TOTAL("producer.response.total", false),
  PRODUCER_RESPONSE_RATE("producer.response.rate", false),
  PRODUCER_INCOMING_BYTE_TOTAL("producer.incoming.byte.total", false),
  PRODUCER_INCOMING_BYTE_RATE("producer.incoming.byte.rate", false),
  CONSUMER_CONNECTION_CREATION_TOTAL("consumer.connection.creation.total", true),
  CONSUMER_CONNECTION_CREATION_RATE("consumer.connection.creation.rate", true),
  CONSUMER_CONNECTION_COUNT("consumer.connection.count", false),
  CONSUMER_NODE_REQUEST_LATENCY_AVG("consumer.node.request.latency.avg", true),
  CONSUMER_NODE_REQUEST_LATENCY_MAX("consumer.node.request.latency.max", true),
  CONSUMER_COMMIT_LATENCY_AVG("consumer.coordinator.commit.latency.avg", true),
  CONSUMER_COMMIT_LATENCY_MAX("consumer.coordinator.commit.latency.max", true),
  CONSUMER_ASSIGNED_PARTITIONS("consumer.coordinator.assigned.partitions", true),
  CONSUMER_REBALANCE_LATENCY_AVG("consumer.coordinator.rebalance.latency.avg", true),
  CONSUMER_REBALANCE_LATENCY_MAX("consumer.coordinator.rebalance.latency.max", true),
  CONSUMER_REBALANCE_LATENCY_TOTAL("consumer.coordinator.rebalance.latency.total", true),
  CONSUMER_REBALANCE_TOTAL("consumer.coordinator.rebalance.total", false),
  CONSUMER_FAILED_REBALANCE_TOTAL("consumer.coordinator.failed.rebalance.total", false),
  CONSUMER_RECORDS_LAG_MAX("consumer.fetch.manager.records.lag.max", false),
  CONSUMER_FETCH_LATENCY_AVG("consumer.fetch.manager.fetch.latency.avg", true),
  CONSUMER_FETCH_LATENCY_MAX("consumer.fetch.manager.fetch.latency.max", true),
  CONSUMER_FETCH_THROTTLE_TIME_AVG("consumer.fetch.manager.fetch.throttle.time.avg", false),
  CONSUMER_FETCH_THROTTLE_TIME_MAX("consumer.fetch.manager.fetch.throttle.time.max", false),
  CONSUMER_FETCH_TOTAL("consumer.fetch.manager.fetch.total", false),
  CONSUMER_FETCH_RATE("consumer.fetch.manager.fetch.rate", false),
  CONSUMER_RECORDS_CONSUMED_TOTAL("consumer.fetch.manager.records.consumed.total", false),
  CONSUMER_RECORDS_CONSUMED_RATE("consumer.fetch.manager.records.consumed.rate", false),
  CONSUMER_RESPONSE_TOTAL("consumer.response.total", false),
  CONSUMER_RESPONSE_RATE("consumer.response.rate", false),
  CONSUMER_INCOMING_BYTE_TOTAL("consumer.incoming.byte.total", false),
  CONSUMER_INCOMING_BYTE_RATE("consumer.incoming.byte.rate", false);

  private static final String ALL = "*";

  private final String fullName;
  private final boolean required;

  PushedMetric(String name, boolean required) {
    this.fullName = "org.apache.kafka." + name;
    this.required = required;
  }

  String fullName() {
    return fullName;
  }

  boolean isRequired() {
    return required;
  }

  /** Returns the metrics whose names begin with one of the prefixes. An empty prefix, or "*" alone, selects all. */
  static Set<PushedMetric> of(List<String> prefixes) {
    Set<PushedMetric> selected = EnumSet.noneOf(PushedMetric.class);
    boolean all = prefixes.size() == 1 && prefixes.getFirst().equals(ALL);
    for (PushedMetric metric : values()) {
      if (all || prefixes.stream().anyMatch(metric.fullName::startsWith)) {
        selected.add(metric);
      }
    }
    return selected;
  }
}
