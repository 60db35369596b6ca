package dev.decant.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerStatus;
import dev.decant.kafka.consumer.ConsumerStatus.PartitionStatus;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.time.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lag and assignment of consumers that come and go. */
@Timeout(60)
class ConsumerGaugesTest {
  private static final String LAG = "kafka.consumer.fetch.manager.records.lag";
  private static final String MAX_LAG = "kafka.consumer.fetch.manager.records.lag.max";
  private static final String ASSIGNED = "kafka.consumer.coordinator.assigned.partitions";

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final List<ConsumerStatus> consumers = new ArrayList<>();
  private final Meters meters = new Meters(registry, Tags.of("client.id", "shop"), false);
  private final ConsumerGauges gauges = new ConsumerGauges(meters,
      new Recent<>(() -> ConsumerLags.of(consumers), Clock.system()));

  private static PartitionStatus partition(int number, long position, long end) {
    return new PartitionStatus("orders", number, position, end);
  }

  private void consumer(String group, PartitionStatus... partitions) {
    consumers.add(new ConsumerStatus(group, List.of(partitions)));
  }

  private double lag(String group, int partition) {
    return registry.get(LAG).tags("client.id", "shop", "group.id", group, "topic", "orders", "partition",
        Integer.toString(partition)).gauge().value();
  }

  private double ofGroup(String name, String group) {
    return registry.get(name).tags("client.id", "shop", "group.id", group).gauge().value();
  }

  private List<String> lagged() {
    return registry.find(LAG).gauges().stream()
        .map(g -> g.getId().getTag("group.id") + " " + g.getId().getTag("partition")).sorted().toList();
  }

  @Test
  void eachPartitionHasItsLagAndEachGroupTheLargest() {
    consumer("billing", partition(0, 10, 17), partition(1, 3, 3));
    consumer("billing", partition(2, 1, 2));
    consumer("", partition(0, ConsumerStatus.UNKNOWN, 5));
    gauges.update();

    assertThat(lag("billing", 0)).isEqualTo(7);
    assertThat(lag("billing", 1)).isZero();
    assertThat(lag("none", 0)).as("not known yet").isNaN();
    assertThat(ofGroup(MAX_LAG, "billing")).isEqualTo(7);
    assertThat(ofGroup(MAX_LAG, "none")).isNaN();
    assertThat(ofGroup(ASSIGNED, "billing")).isEqualTo(3);
  }

  @Test
  void gaugesOfRevokedPartitionsAndOfGroupsWithoutConsumersVanish() {
    consumer("billing", partition(0, 10, 17), partition(1, 3, 3));
    consumer("audit", partition(0, 0, 17));
    gauges.update();
    assertThat(lagged()).containsExactly("audit 0", "billing 0", "billing 1");
    consumers.clear();
    consumer("billing", partition(1, 3, 3), partition(2, 0, 0));
    gauges.update();

    assertThat(lagged()).containsExactly("billing 1", "billing 2");
    assertThat(registry.find(ASSIGNED).gauges()).extracting(g -> g.getId().getTag("group.id"))
        .containsExactly("billing");
    consumers.clear();
    gauges.update();
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void aGroupWithoutPartitionsHasNone() {
    consumer("billing");
    gauges.update();
    assertThat(ofGroup(ASSIGNED, "billing")).isZero();
    assertThat(ofGroup(MAX_LAG, "billing")).isNaN();
  }

  @Test
  void twoConsumersOfOnePartitionHaveOneGaugeWithTheLargerLag() {
    consumer("", partition(0, 1, 17));
    consumer("", partition(0, 9, 17));
    gauges.update();
    assertThat(lag("none", 0)).isEqualTo(16);
  }

  /** A consumer that polls must not hide another one of its group that does not. */
  @Test
  void eachGroupHasTheTimeOfItsConsumerThatHasNotPolledForLongest() {
    consumers.add(new ConsumerStatus("billing", List.of(), 250_000_000));
    consumers.add(new ConsumerStatus("billing", List.of(), 7_500_000_000L));
    consumer("audit");
    gauges.update();

    assertThat(ofGroup("kafka.consumer.last.poll.seconds.ago", "billing")).isEqualTo(7.5);
    assertThat(ofGroup("kafka.consumer.last.poll.seconds.ago", "audit")).as("has not polled yet").isNaN();
  }

  /** A registry for Prometheus appends a base unit to the name; dashboards for Apache's client have names without. */
  @Test
  void metersWithNamesOfMicrometersBinderHaveNoBaseUnit() {
    consumer("billing", partition(0, 10, 17));
    gauges.update();
    assertThat(registry.getMeters()).hasSize(4).extracting(m -> m.getId().getBaseUnit()).containsOnlyNulls();
  }

  @Test
  void afterClosingNothingIsMade() {
    consumer("billing", partition(0, 10, 17));
    gauges.update();
    meters.close();
    consumer("billing", partition(1, 10, 17));
    gauges.update();
    assertThat(registry.getMeters()).isEmpty();
  }

  /** With consumers whose broker does not answer: their partitions are known all the same. */
  @Test
  void gaugesFollowTheAssignmentsOfAClient() {
    try (KafkaClient client = KafkaClient.connect("localhost:9");
        Consumer<String, String> before = client.consumer(Serdes.string(), Serdes.string()).open();
        KafkaClientMetrics metrics = new KafkaClientMetrics(client, "shop")) {
      before.assign("orders", 0);
      metrics.bindTo(registry);
      assertThat(lagged()).containsExactly("none 0");
      try (Consumer<String, String> after = client.consumer(Serdes.string(), Serdes.string()).group("billing").open()) {
        after.assign("orders", 1, 2);
        assertThat(lagged()).containsExactly("billing 1", "billing 2", "none 0");
        after.assign("orders", 2);
        assertThat(lagged()).containsExactly("billing 2", "none 0");
      }
      assertThat(lagged()).containsExactly("none 0");
      assertThat(registry.getMeters()).extracting(Meter::getId).extracting(id -> id.getTag("client.id"))
          .containsOnly("shop");
    }
  }
}
