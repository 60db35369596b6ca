package dev.decant.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.Statistic;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerStatus;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.telemetry.Telemetry;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** With a client that no broker answers: what it would tell is fired by the test. */
@Timeout(60)
class KafkaClientMetricsTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final KafkaClient client = KafkaClient.connect("localhost:9");
  private final Telemetry telemetry = ClientInternals.of(client).telemetry();
  private final KafkaClientMetrics metrics = new KafkaClientMetrics(client, "billing");

  @AfterEach
  void close() {
    metrics.close();
    client.close();
    registry.close();
  }

  private double counter(String name) {
    return registry.get(name).tag("client.id", "billing").functionCounter().count();
  }

  private double ofTopic(String name, String topic) {
    return registry.get(name).tag("client.id", "billing").tag("topic", topic).counter().count();
  }

  private double gauge(String name) {
    return registry.get(name).tag("client.id", "billing").gauge().value();
  }

  @Test
  void countersReadWhatTheClientHasCountedBeforeAndAfterBinding() {
    telemetry.consumer().polled(40);
    metrics.bindTo(registry);
    assertThat(counter("decant.kafka.records.consumed")).isEqualTo(40);

    telemetry.consumer().polled(2);
    telemetry.producer().sent("orders", 3, 10, 1_000, 1);
    assertThat(counter("decant.kafka.records.consumed")).isEqualTo(42);
    assertThat(counter("decant.kafka.batches.sent")).isEqualTo(1);
    assertThat(counter("decant.kafka.sent")).isEqualTo(1_000);
    assertThat(registry.get("decant.kafka.sent").meter().getId().getBaseUnit()).isEqualTo("bytes");
  }

  @Test
  void everyStatisticHasACounterOfItsOwn() {
    metrics.bindTo(registry);
    for (Statistic statistic : Statistic.values()) {
      telemetry.counters().add(statistic, 1_000 + statistic.name().hashCode() % 1_000);
    }
    List<Double> read = registry.getMeters().stream().filter(FunctionCounter.class::isInstance)
        .map(m -> ((FunctionCounter) m).count()).toList();
    List<Double> counted = List.of(Statistic.values()).stream().filter(s -> s != Statistic.ERRORS)
        .map(s -> (double) telemetry.counters().get(s)).toList();

    assertThat(read).containsExactlyInAnyOrderElementsOf(counted);
  }

  @Test
  void gaugesTellHowTheClientStands() {
    metrics.bindTo(registry);

    assertThat(gauge("decant.kafka.live")).isEqualTo(1);
    assertThat(gauge("decant.kafka.connections.ready")).isZero();
    assertThat(gauge("decant.kafka.requests.pending")).isZero();
    assertThat(gauge("decant.kafka.fetch.memory.used")).isZero();
    assertThat(gauge("decant.kafka.fetch.memory.max")).isEqualTo(64.0 * 1024 * 1024);
    assertThat(gauge("decant.kafka.metadata.age")).isNaN();
  }

  @Test
  void ofAClosedClientWhatOnlyItsLoopKnewIsNaN() {
    metrics.bindTo(registry);
    client.close();

    assertThat(gauge("decant.kafka.live")).isZero();
    assertThat(gauge("decant.kafka.connections.ready")).isNaN();
    assertThat(counter("decant.kafka.records.consumed")).isZero();
  }

  @Test
  void batchesAndResponsesAreTimed() {
    metrics.bindTo(registry);
    telemetry.producer().acknowledged("orders", 3, 42, 10, 1_000, 2_500_000);
    telemetry.connection().response("b:1", ApiKey.PRODUCE.id(), 50, 1_000, 5_000);
    telemetry.connection().response("b:1", ApiKey.PRODUCE.id(), 50, 1_000, 7_000);
    telemetry.connection().response("b:1", ApiKey.FETCH.id(), 50, 0, 500_000_000);

    Timer batches = registry.get("decant.kafka.batch.acknowledgement").tag("client.id", "billing").timer();
    assertThat(batches.count()).isEqualTo(1);
    assertThat(batches.totalTime(TimeUnit.NANOSECONDS)).isEqualTo(2_500_000);
    Timer produce = registry.get("decant.kafka.response").tags("client.id", "billing", "api", "Produce").timer();
    assertThat(produce.count()).isEqualTo(2);
    assertThat(produce.totalTime(TimeUnit.NANOSECONDS)).isEqualTo(10_000);
    assertThat(registry.get("decant.kafka.response").tag("api", "Fetch").timer().max(TimeUnit.MILLISECONDS))
        .isEqualTo(500);
  }

  @Test
  void errorsAreCountedByTheirCodes() {
    metrics.bindTo(registry);
    telemetry.producer().failed("orders", 3, 10, new KafkaException(ErrorCode.MESSAGE_TOO_LARGE, "no"));

    assertThat(registry.get("decant.kafka.errors").tag("kind", "produce.failed").counter().count()).isEqualTo(1);
    assertThat(registry.get("decant.kafka.errors").tag("kind", "connection.ended").counter().count()).isZero();
    assertThat(counter("decant.kafka.records.failed")).isEqualTo(10);
  }

  @Test
  void recordsAreCountedByTopic() {
    metrics.bindTo(registry);
    telemetry.producer().sent("orders", 3, 10, 1_000, 1);
    telemetry.producer().sent("orders", 4, 10, 1_000, 2);
    telemetry.producer().sent("bills", 0, 1, 80, 1);
    telemetry.producer().retried("orders", 4, 10, new KafkaException(ErrorCode.NOT_LEADER_OR_FOLLOWER, "moved"));
    telemetry.producer().failed("bills", 0, 1, new KafkaException(ErrorCode.MESSAGE_TOO_LARGE, "no"));
    telemetry.consumer().delivered("bills", 0, 5);
    telemetry.consumer().skipped("bills", 0, 7, new KafkaException(ErrorCode.CORRUPT_MESSAGE, "no"));

    assertThat(ofTopic("kafka.producer.topic.record.send.total", "orders")).isEqualTo(20);
    assertThat(ofTopic("kafka.producer.topic.record.send.total", "bills")).isEqualTo(1);
    assertThat(ofTopic("kafka.producer.topic.byte.total", "orders")).isEqualTo(2_000);
    assertThat(ofTopic("kafka.producer.topic.record.retry.total", "orders")).isEqualTo(10);
    assertThat(ofTopic("kafka.producer.topic.record.error.total", "bills")).isEqualTo(1);
    assertThat(ofTopic("kafka.consumer.fetch.manager.records.consumed.total", "bills")).isEqualTo(5);
    assertThat(ofTopic("decant.kafka.topic.records.skipped", "bills")).isEqualTo(1);
  }

  /** Topics of a client may come and go without end; a registry keeps each meter for ever. */
  @Test
  void topicsBeyondABoundShareOneCounter() {
    TopicCounters topics = new TopicCounters(new Meters(registry, Tags.of("client.id", "billing"), false));
    for (int i = 0; i < TopicCounters.MOST_TOPICS + 10; i++) {
      topics.onDelivered("topic-" + i, 0, 1);
    }
    topics.onDelivered("topic-7", 0, 1);

    String name = "kafka.consumer.fetch.manager.records.consumed.total";
    assertThat(registry.find(name).counters()).hasSize(TopicCounters.MOST_TOPICS + 1);
    assertThat(ofTopic(name, TopicCounters.OTHERS)).isEqualTo(10);
    assertThat(ofTopic(name, "topic-7")).isEqualTo(2);
  }

  @Test
  void transactionsAreTimedAndTheirFailuresCounted() {
    metrics.bindTo(registry);
    telemetry.transaction().committed("shop", 9_000_000, 2_000_000);
    telemetry.transaction().aborted("shop", 9_000_000, 3_000_000);
    telemetry.transaction().failed("shop", new KafkaException(ErrorCode.INVALID_TXN_STATE, "no"));
    telemetry.transaction().fenced("shop", new KafkaException(ErrorCode.PRODUCER_FENCED, "no"));

    Timer commits = registry.get("decant.kafka.transaction.commit").tag("client.id", "billing").timer();
    assertThat(commits.count()).isEqualTo(1);
    assertThat(commits.totalTime(TimeUnit.NANOSECONDS)).isEqualTo(2_000_000);
    assertThat(registry.get("decant.kafka.transaction.abort").timer().totalTime(TimeUnit.NANOSECONDS))
        .isEqualTo(3_000_000);
    assertThat(registry.get("decant.kafka.transactions.failed").counter().count()).isEqualTo(1);
    assertThat(registry.get("decant.kafka.transactions.fenced").counter().count()).isEqualTo(1);
  }

  /** A consumer reads a clock in poll only for a listener. The broker does not answer, and polls begin all the same. */
  @Test
  void pollsAreCountedAndTheirTimeIsKeptWhileMetersAreBound() throws InterruptedException {
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).open()) {
      consumer.assign("orders", 0);
      consumer.seek("orders", 0, 0);
      consumer.poll(Duration.ZERO, record -> {});
      assertThat(consumer.status().nanosSincePoll()).isEqualTo(ConsumerStatus.UNKNOWN);
      metrics.bindTo(registry);
      consumer.poll(Duration.ZERO, record -> {});
      consumer.poll(Duration.ZERO, record -> {});

      assertThat(registry.get("decant.kafka.polls").tag("group.id", "none").counter().count()).isEqualTo(2);
      assertThat(consumer.status().nanosSincePoll()).isNotNegative();
    }
  }

  /** A simple registry publishes no buckets; what it is asked for shows in its filters. */
  @Test
  void timersHaveBucketsIfThatIsSet() {
    Map<String, Boolean> asked = new TreeMap<>();
    registry.config().meterFilter(new MeterFilter() {
      @Override
      public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
        asked.put(id.getName(), config.isPercentileHistogram());
        return config;
      }
    });
    metrics.percentileHistograms().bindTo(registry);
    telemetry.connection().response("b:1", ApiKey.PRODUCE.id(), 50, 1_000, 5_000);
    assertThat(asked).containsOnlyKeys("decant.kafka.batch.acknowledgement", "decant.kafka.response",
        "decant.kafka.transaction.abort", "decant.kafka.transaction.commit").doesNotContainValue(false);

    asked.clear();
    try (KafkaClientMetrics plain = new KafkaClientMetrics(client, "plain")) {
      plain.bindTo(registry);
    }
    assertThat(asked).isNotEmpty().doesNotContainValue(true);
  }

  @Test
  void closingLeavesNothingBehind() {
    registry.counter("of.the.application").increment();
    SimpleMeterRegistry another = new SimpleMeterRegistry();
    metrics.bindTo(registry);
    metrics.bindTo(another);
    telemetry.connection().response("b:1", ApiKey.PRODUCE.id(), 50, 1_000, 5_000);
    metrics.close();
    metrics.close();
    telemetry.connection().response("b:1", ApiKey.FETCH.id(), 50, 1_000, 5_000);
    telemetry.producer().acknowledged("orders", 3, 42, 10, 1_000, 2_500_000);

    assertThat(registry.getMeters()).extracting(m -> m.getId().getName()).containsExactly("of.the.application");
    assertThat(another.getMeters()).isEmpty();
    assertThatThrownBy(() -> metrics.bindTo(registry)).isInstanceOf(IllegalStateException.class);
  }

  /** A listener that was removed may be told a last time, by a call that had begun. */
  @Test
  void aListenerThatIsToldAfterClosingMakesNoMeter() {
    Meters meters = new Meters(registry, Tags.empty(), false);
    ResponseTimers timers = new ResponseTimers(meters);
    meters.close();
    timers.onResponse("b:1", ApiKey.PRODUCE.id(), 50, 4_000);

    assertThat(registry.getMeters()).isEmpty();
  }

  /** Micrometer holds what its meters read weakly; nobody needs to keep the binder for that. */
  @Test
  void metersSurviveABinderThatNobodyKeeps() {
    SimpleMeterRegistry another = new SimpleMeterRegistry();
    new KafkaClientMetrics(client, "dropped").bindTo(another);
    System.gc();
    telemetry.consumer().polled(7);

    assertThat(another.get("decant.kafka.records.consumed").functionCounter().count()).isEqualTo(7);
    assertThat(another.get("decant.kafka.live").gauge().value()).isEqualTo(1);
  }

  @Test
  void namesAndTagsFollowTheConventions() {
    metrics.bindTo(registry);

    assertThat(registry.getMeters()).isNotEmpty().allSatisfy(m -> {
      Meter.Id id = m.getId();
      assertThat(id.getName()).matches("(decant\\.kafka|kafka\\.consumer|kafka\\.producer)(\\.[a-z]+)+");
      assertThat(id.getTag("client.id")).isEqualTo("billing");
      assertThat(id.getDescription()).isNotBlank();
    });
  }
}
