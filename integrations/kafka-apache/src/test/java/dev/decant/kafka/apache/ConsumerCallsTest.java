package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.runtime.RuntimeCheck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidGroupIdException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that are refused before a request is sent. */
@Timeout(60)
class ConsumerCallsTest {
  private static Map<String, Object> settings(@Nullable String group) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", "localhost:1");
    if (group != null) {
      settings.put("group.id", group);
    }
    settings.put("key.deserializer", StringDeserializer.class.getName());
    settings.put("value.deserializer", StringDeserializer.class.getName());
    return settings;
  }

  private static DecantConsumer<String, String> consumer(@Nullable String group) {
    return new DecantConsumer<>(settings(group));
  }

  private static final class Silent implements ConsumerRebalanceListener {
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {}

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}
  }

  @Test
  void settingsAreReadByApachesDefinition() {
    Map<String, Object> wrong = settings("g");
    wrong.put("max.poll.records", 0);
    assertThatThrownBy(() -> new DecantConsumer<String, String>(wrong)).isInstanceOf(ConfigException.class)
        .hasMessageContaining("max.poll.records");
    Map<String, Object> missing = settings("g");
    missing.remove("value.deserializer");
    assertThatThrownBy(() -> new DecantConsumer<String, String>(missing)).isInstanceOf(ConfigException.class)
        .hasMessageContaining("value.deserializer");
    Map<String, Object> blank = settings("");
    assertThatThrownBy(() -> new DecantConsumer<String, String>(blank)).isInstanceOf(KafkaException.class)
        .hasCauseInstanceOf(InvalidGroupIdException.class);
    Properties properties = new Properties();
    properties.putAll(settings("g"));
    new DecantConsumer<String, String>(properties).close();
  }

  @Test
  void memoryForABatchFollowsFetchMaxBytesWhereThatIsMore() {
    Map<String, Object> settings = settings("g");
    for (int megabytes : new int[] {1, 50, 100}) {
      settings.put("fetch.max.bytes", megabytes << 20);
      long quarter = Runtime.getRuntime().maxMemory() / 4;
      ConsumerConfig config = ConsumerSettings.read(settings, null, null);
      try (SecuredClient client = ConsumerSettings.of(config).connect()) {
        assertThat(client.client().status().fetchMemory())
            .isEqualTo(Math.max(64L << 20, Math.min((long) megabytes << 20, quarter)));
      }
    }
  }

  /** Six listeners with 64 MiB each took more direct memory than a pod of 768 MiB has. */
  @Test
  void consumersTakeASmallPartOfDirectMemory() {
    long mib = 1 << 20;
    assertThat(ConsumerSettings.fetchMemory(10 * mib, 0)).isEqualTo(4 * mib);
    assertThat(ConsumerSettings.fetchMemory(192 * mib, 0)).as("a quarter of a pod of 768 MiB").isEqualTo(4 * mib);
    assertThat(ConsumerSettings.fetchMemory(512 * mib, 0)).isEqualTo(8 * mib);
    assertThat(ConsumerSettings.fetchMemory(100_000 * mib, 0)).isEqualTo(64 * mib);
    long share = ConsumerSettings.fetchMemory(RuntimeCheck.directMemoryBytes(), 0);
    try (SecuredClient secured = ConsumerSettings.of(ConsumerSettings.read(settings("g"), null, null)).connect()) {
      KafkaClient client = secured.client();
      assertThat(ClientInternals.of(client).fetchMemory().limit()).isEqualTo(share);
    }
  }

  /** A service with thirty consumers in a pod of 768 MiB: their pools alone were more than half of direct memory. */
  @Test
  void consumersThatKnowTheirNumberShareAQuarterOfDirectMemory() {
    long mib = 1 << 20;
    assertThat(ConsumerSettings.fetchMemory(192 * mib, 6)).as("few").isEqualTo(4 * mib);
    assertThat(ConsumerSettings.fetchMemory(192 * mib, 24)).isEqualTo(2 * mib);
    assertThat(ConsumerSettings.fetchMemory(192 * mib, 1_000)).isEqualTo(mib);
    Map<String, Object> settings = settings("g");
    settings.put("decant.fetch.memory.consumers", "1000");
    try (SecuredClient secured = ConsumerSettings.of(ConsumerSettings.read(settings, null, null)).connect()) {
      assertThat(ClientInternals.of(secured.client()).fetchMemory().limit())
          .isEqualTo(ConsumerSettings.fetchMemory(RuntimeCheck.directMemoryBytes(), 1_000));
      assertThat(secured.client().status().fetchMemory()).as("a batch may be larger").isGreaterThanOrEqualTo(64 * mib);
    }
    settings.put("decant.fetch.memory.consumers", "many");
    ConsumerConfig wrong = ConsumerSettings.read(settings, null, null);
    assertThatThrownBy(() -> ConsumerSettings.of(wrong).connect()).isInstanceOf(ConfigException.class)
        .hasMessageContaining("decant.fetch.memory.consumers");
  }

  @Test
  void refusedSettingsAreFoundBeforeAClientIsOpened() {
    Map<String, Object> settings = settings("g");
    assertThat(DecantConsumer.refusals(settings)).isEmpty();
    settings.put("client.dns.lookup", "resolve_canonical_bootstrap_servers_only");
    settings.put("share.acquire.mode", "${env:MODE}");
    settings.put("sasl.jaas.config", null);
    settings.put("transaction.two.phase.commit.enable", "true"); // a setting of producers
    assertThat(DecantConsumer.refusals(settings)).singleElement().asString()
        .startsWith("client.dns.lookup: ").doesNotContain("canonical");
    assertThat(DecantProducer.refusals(Map.of("client.dns.lookup", "use_all_dns_ips"))).isEmpty();
  }

  @Test
  void settingsOfDecantsOwnHoldBehindApachesInterfaces() {
    Map<String, Object> settings = settings("g");
    settings.put("decant.fetch.memory.bytes", 3 << 20);
    settings.put("decant.runtime.check.enable", "false");
    settings.put("max.poll.interval.ms", "20000");
    try (SecuredClient secured = ConsumerSettings.of(ConsumerSettings.read(settings, null, null)).connect()) {
      KafkaClient client = secured.client();
      assertThat(client.status().fetchMemory()).as("bounds a batch, too").isEqualTo(3 << 20);
      assertThat(ClientInternals.of(client).fetchMemory().limit()).isEqualTo(3 << 20);
      assertThat(client.runtimeFindings()).isEmpty();
      assertThat(client.consumer(Serdes.bytes(), Serdes.bytes()).settings())
          .containsEntry("decant.revocation.timeout.ms", "20000");
    }
    settings.put("decant.revocation.timeout.ms", 7000);
    ConsumerConfig config = ConsumerSettings.read(settings, null, null);
    try (SecuredClient secured = ConsumerSettings.of(config).connect()) {
      KafkaClient client = secured.client();
      assertThat(client.consumer(Serdes.bytes(), Serdes.bytes()).settings())
          .containsEntry("decant.revocation.timeout.ms", "7000");
    }
    assertThat(config.unused()).as("what Apache's definition logs as unused").noneMatch(n -> n.startsWith("decant."));
  }

  /** The thread that shuts down wakes the consumer in its first poll, before Decant's consumer of the group exists. */
  @Test
  void wakeupWhileAPollJoinsTheGroupEndsThePoll() {
    Map<String, Object> settings = settings("g");
    settings.put("partition.assignment.strategy", List.of(WakingAssignor.class));
    settings.put("enable.auto.commit", "false"); // otherwise the poll would look for a due commit each time
    try (DecantConsumer<String, String> consumer = new DecantConsumer<>(settings)) {
      WakingAssignor.woken = consumer;
      consumer.subscribe(List.of("a"));
      assertThatThrownBy(() -> consumer.poll(Duration.ofMillis(Long.MAX_VALUE))).isInstanceOf(WakeupException.class);
      assertThat(WakingAssignor.woken).as("named while the consumer joined").isNull();
    } finally {
      WakingAssignor.woken = null;
    }
  }

  /** A deserializer that wakes the consumer while it is configured. */
  public static final class WakingAssignor extends RangeAssignor {
    static @Nullable DecantConsumer<?, ?> woken;

    /** Made by its name. */
    public WakingAssignor() {}

    @Override
    public String name() {
      DecantConsumer<?, ?> consumer = woken;
      if (consumer != null) {
        woken = null;
        consumer.wakeup();
      }
      return "waking";
    }
  }

  @Test
  void listenerHearsOfARevocationThoughAWakeupHasEndedTheCommitBefore() {
    List<TopicPartition> revoked = new ArrayList<>();
    ConsumerRebalanceListener application = new ConsumerRebalanceListener() {
      @Override
      public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        revoked.addAll(partitions);
      }

      @Override
      public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}
    };
    ListenerAdapter adapter = new ListenerAdapter(() -> application, () -> {
      throw new WakeupException();
    }, () -> {}, (call, nanos) -> {});
    assertThatThrownBy(() -> adapter.onRevoked(List.of(new dev.decant.kafka.TopicPartition("a", 3))))
        .isInstanceOf(WakeupException.class);
    assertThat(revoked).containsExactly(new TopicPartition("a", 3));
  }

  @Test
  void kindsOfSubscriptionsExcludeEachOther() {
    try (DecantConsumer<String, String> consumer = consumer("g")) {
      consumer.subscribe(List.of("a"));
      consumer.subscribe(List.of("b"), new Silent());
      assertThat(consumer.subscription()).containsExactly("b");
      assertThatThrownBy(() -> consumer.subscribe(Pattern.compile("a"))).isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("mutually exclusive");
      assertThatThrownBy(() -> consumer.assign(List.of(new TopicPartition("a", 0))))
          .isInstanceOf(IllegalStateException.class);
      consumer.subscribe(List.of());
      assertThat(consumer.subscription()).isEmpty();
      consumer.assign(List.of(new TopicPartition("a", 0), new TopicPartition("b", 1)));
      assertThat(consumer.assignment()).containsExactlyInAnyOrder(new TopicPartition("a", 0),
          new TopicPartition("b", 1));
      assertThatThrownBy(() -> consumer.subscribe(List.of("a"))).isInstanceOf(IllegalStateException.class);
    }
  }

  @ClientsFrom(value = "4.0", because = "SubscriptionPattern")
  @Test
  @SuppressWarnings("NullAway") // null is what the test is about
  void whatMeansNothingIsRefused() {
    try (DecantConsumer<String, String> consumer = consumer("g")) {
      assertThatThrownBy(() -> consumer.poll(Duration.ZERO)).isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("not subscribed");
      assertThatThrownBy(() -> consumer.subscribe((Collection<String>) null))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> consumer.subscribe(Arrays.asList("a", null)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> consumer.subscribe(List.of(" "))).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> consumer.subscribe(List.of("a"), null)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> consumer.subscribe((Pattern) null)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> consumer.subscribe(Pattern.compile(""))).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> consumer.assign(null)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> consumer.assign(List.of(new TopicPartition("", 0))))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> consumer.seekToEnd(null)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> consumer.seek(new TopicPartition("a", 0), -1))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> consumer.subscribe(new SubscriptionPattern("a")))
          .isInstanceOf(UnsupportedOperationException.class);
      assertThatThrownBy(() -> consumer.position(new TopicPartition("a", 0)))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void withoutAGroupNothingIsSubscribedOrCommitted() {
    try (DecantConsumer<String, String> consumer = consumer(null)) {
      assertThatThrownBy(() -> consumer.subscribe(List.of("a"))).isInstanceOf(InvalidGroupIdException.class);
      assertThatThrownBy(consumer::commitSync).isInstanceOf(InvalidGroupIdException.class);
      assertThatThrownBy(consumer::commitAsync).isInstanceOf(InvalidGroupIdException.class);
      assertThatThrownBy(consumer::groupMetadata).isInstanceOf(InvalidGroupIdException.class);
      assertThatThrownBy(consumer::enforceRebalance).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void oneThreadAtATimeIsInside() throws InterruptedException {
    AtomicReference<@Nullable Throwable> refused = new AtomicReference<>();
    try (DecantConsumer<String, String> consumer = consumer("g")) {
      consumer.subscribe(List.of("a"));
      Thread poller = Thread.ofPlatform().name("the poller").start(() -> {
        Throwable thrown;
        do { // a poll is refused while the other thread is in a call
          thrown = catchThrowable(() -> consumer.poll(Duration.ofSeconds(30)));
        } while (thrown instanceof ConcurrentModificationException);
        refused.set(thrown);
      });
      awaitInside(consumer);
      assertThatThrownBy(consumer::assignment).isInstanceOf(ConcurrentModificationException.class)
          .hasMessageContaining("the poller").hasMessageContaining(Thread.currentThread().getName());
      consumer.wakeup();
      poller.join();
      assertThat(refused.get()).isInstanceOf(org.apache.kafka.common.errors.WakeupException.class);
    }
  }

  private static void awaitInside(DecantConsumer<?, ?> consumer) {
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (catchThrowable(consumer::assignment) == null) {
      assertThat(deadline - System.nanoTime()).isPositive();
      Thread.onSpinWait();
    }
  }

  @Test
  void interruptedThreadIsRefusedAndStaysInterrupted() {
    try (DecantConsumer<String, String> consumer = consumer("g")) {
      consumer.assign(List.of(new TopicPartition("a", 0)));
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> consumer.poll(Duration.ofSeconds(30))).isInstanceOf(InterruptException.class);
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void closedConsumerRefusesAllButClose() {
    DecantConsumer<String, String> consumer = consumer("g");
    consumer.close();
    consumer.close();
    consumer.wakeup();
    assertThatThrownBy(() -> consumer.poll(Duration.ZERO)).isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(consumer::assignment).isInstanceOf(IllegalStateException.class);
  }
}
