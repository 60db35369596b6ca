package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ProducerBuilderTest {
  private final KafkaClient client = KafkaClient.connect("127.0.0.1:1");

  @AfterEach
  void close() {
    client.close();
  }

  private ProducerBuilder<byte[], byte[]> builder() {
    return client.producer(Serdes.bytes(), Serdes.bytes()).topic("t");
  }

  @Test
  void withoutACallTheUsualValuesHold() {
    assertThat(builder().settings()).containsExactlyInAnyOrderEntriesOf(Map.ofEntries(Map.entry("acks", "all"),
        Map.entry("enable.idempotence", "true"), Map.entry("linger.ms", "0"), Map.entry("batch.size", "16384"),
        Map.entry("buffer.memory", "33554432"), Map.entry("max.request.size", "1048576"),
        Map.entry("max.block.ms", "60000"), Map.entry("delivery.timeout.ms", "120000"),
        Map.entry("retry.backoff.ms", "100"), Map.entry("retry.backoff.max.ms", "1000"),
        Map.entry("compression.type", "none"), Map.entry("compression.gzip.level", "-1"),
        Map.entry("compression.lz4.level", "9"), Map.entry("compression.zstd.level", "3"),
        Map.entry("retries", "2147483647"), Map.entry("max.in.flight.requests.per.connection", "5")));
  }

  @Test
  void presetsSetWhatTheySay() {
    assertThat(Preset.HIGH_THROUGHPUT.describe()).isEqualTo("""
        linger.ms=100
        batch.size=131072
        buffer.memory=67108864
        """);
    assertThat(Preset.LOW_LATENCY.describe()).isEqualTo("""
        linger.ms=0
        batch.size=16384
        retry.backoff.ms=20
        retry.backoff.max.ms=200
        """);
    assertThat(Preset.RELIABLE.describe()).isEqualTo("""
        acks=all
        enable.idempotence=true
        max.block.ms=600000
        delivery.timeout.ms=600000
        retry.backoff.max.ms=5000
        """);
    for (Preset preset : Preset.values()) {
      Map<String, String> settings = builder().preset(preset).settings();
      preset.settings().forEach((setting, value) -> assertThat(settings).containsEntry(setting.kafkaName(),
          setting.format(value)));
    }
  }

  @Test
  void noPresetWeakensWhatIsPromised() {
    for (Preset preset : Preset.values()) {
      assertThat(builder().preset(preset).settings()).containsEntry("acks", "all").containsEntry("enable.idempotence",
          "true");
    }
  }

  @Test
  void presetsCanBeCompared() {
    assertThat(Preset.HIGH_THROUGHPUT.differences(Preset.LOW_LATENCY)).containsOnly(Map.entry("linger.ms", "100 -> 0"),
        Map.entry("batch.size", "131072 -> 16384"), Map.entry("buffer.memory", "67108864 -> 33554432"),
        Map.entry("retry.backoff.ms", "100 -> 20"), Map.entry("retry.backoff.max.ms", "1000 -> 200"));
    assertThat(Preset.RELIABLE.differences(Preset.RELIABLE)).isEmpty();
  }

  @Test
  void explicitValuesWinWhateverTheOrderOfCalls() {
    Map<String, String> before = builder().linger(Duration.ofMillis(3)).preset(Preset.HIGH_THROUGHPUT).settings();
    Map<String, String> after = builder().preset(Preset.HIGH_THROUGHPUT).linger(Duration.ofMillis(3)).settings();
    assertThat(before).isEqualTo(after).containsEntry("linger.ms", "3").containsEntry("batch.size", "131072");
    assertThat(builder().preset(Preset.HIGH_THROUGHPUT).preset(Preset.LOW_LATENCY).settings())
        .as("the last preset holds").containsEntry("batch.size", "16384");
  }

  @Test
  void everySettingHasACallAndAName() {
    Map<String, String> named = Map.ofEntries(Map.entry("acks", "1"), Map.entry("enable.idempotence", "false"),
        Map.entry("linger.ms", "7"), Map.entry("batch.size", "32768"), Map.entry("buffer.memory", "1048576"),
        Map.entry("max.request.size", "2048"), Map.entry("max.block.ms", "11"), Map.entry("delivery.timeout.ms", "12"),
        Map.entry("retry.backoff.ms", "13"), Map.entry("retry.backoff.max.ms", "14"),
        Map.entry("compression.type", "zstd"), Map.entry("compression.gzip.level", "9"),
        Map.entry("compression.lz4.level", "17"), Map.entry("compression.zstd.level", "-5"),
        Map.entry("retries", "15"), Map.entry("max.in.flight.requests.per.connection", "2"));
    assertThat(builder().properties(named).settings()).isEqualTo(named);
    assertThat(builder().acks(Acks.LEADER).idempotence(false).linger(Duration.ofMillis(7)).batchSize(32_768)
        .bufferMemory(1_048_576).maxRequestSize(2_048).maxBlock(Duration.ofMillis(11))
        .deliveryTimeout(Duration.ofMillis(12)).retryBackoff(Duration.ofMillis(13), Duration.ofMillis(14))
        .compression(CompressionType.ZSTD).compressionLevel(CompressionType.GZIP, 9)
        .compressionLevel(CompressionType.LZ4, 17).compressionLevel(CompressionType.ZSTD, -5).retries(15)
        .maxInFlight(2).settings())
        .isEqualTo(named);
  }

  private void refused(String message, Consumer<ProducerBuilder<byte[], byte[]>> call) {
    assertThatThrownBy(() -> call.accept(builder())).isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void whatIsNoValueIsRefusedByName() {
    refused("linger: unknown; did you mean linger.ms?", b -> b.properties(Map.of("linger", "1")));
    refused("linger.ms: \"soon\" is no number of milliseconds", b -> b.properties(Map.of("linger.ms", "soon")));
    refused("batch.size: \"\" is no number of bytes", b -> b.properties(Map.of("batch.size", "")));
    refused("acks: \"some\" is no value of acks: use all, 1 or 0", b -> b.properties(Map.of("acks", "some")));
    refused("acks: 2 is more than 1", b -> b.properties(Map.of("acks", "2")));
    refused("enable.idempotence: \"1\" is no flag", b -> b.properties(Map.of("enable.idempotence", "1")));
    refused("linger.ms: -1 is less than 0", b -> b.linger(Duration.ofMillis(-1)));
    refused("linger.ms: PT0.0005S is no whole number of milliseconds", b -> b.linger(Duration.ofNanos(500_000)));
    refused("batch.size: 0 is less than 1", b -> b.batchSize(0));
    refused("buffer.memory: 1000 is less than 2048", b -> b.bufferMemory(1_000));
    refused("compression.type: \"lzma\" is no compression: use none, gzip, snappy, lz4, zstd",
        b -> b.properties(Map.of("compression.type", "lzma")));
    refused("compression.type: \"1\" is no compression", b -> b.properties(Map.of("compression.type", "1")));
    refused("compression.gzip.level: 0 does not compress; use -1, or 1 to 9",
        b -> b.compressionLevel(CompressionType.GZIP, 0));
    refused("compression.gzip.level: 10 is more than 9", b -> b.compressionLevel(CompressionType.GZIP, 10));
    refused("compression.lz4.level: 0 is less than 1", b -> b.compressionLevel(CompressionType.LZ4, 0));
    refused("compression.zstd.level: 23 is more than 22", b -> b.properties(Map.of("compression.zstd.level", "23")));
    refused("transactional.id: open transactions with KafkaClient.transactions(id)",
        b -> b.properties(Map.of("transactional.id", "payments")));
    refused("partitioner.rack.aware: needs client.rack", b -> b.properties(Map.of("partitioner.rack.aware", "true")));
    refused("partitioner.rack.aware: \"yes\" is no flag", b -> b.properties(Map.of("partitioner.rack.aware", "yes")));
    refused("compression: SNAPPY has no levels", b -> b.compressionLevel(CompressionType.SNAPPY, 1));
  }

  /** There is no such module on the class path of these tests; no broker is asked before that is found. */
  @ParameterizedTest
  @EnumSource(names = {"LZ4", "SNAPPY", "ZSTD"})
  void codecThatIsMissingIsAnErrorOfOpeningThatNamesTheModule(CompressionType type) {
    assertThatThrownBy(() -> builder().compression(type).open()).isInstanceOf(IllegalArgumentException.class)
        .hasMessage("compression.type: there is no codec for " + type + ": add dev.decant:decant-kafka-codec-"
            + type.name().toLowerCase(Locale.ROOT));
  }

  @Test
  void noPresetNeedsACodecThatIsNotBuiltIn() {
    for (Preset preset : Preset.values()) {
      assertThat(builder().preset(preset).settings()).containsEntry("compression.type", "none");
    }
  }

  @Test
  void contradictionsAreRefusedWhenOpening() {
    assertThatThrownBy(() -> builder().acks(Acks.LEADER).open()).isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("acks: 1 contradicts enable.idempotence");
  }

  @Test
  void oneBadPropertySetsNothing() {
    ProducerBuilder<byte[], byte[]> builder = builder();
    Map<String, String> before = builder.settings();
    assertThatThrownBy(() -> builder.properties(Map.of("linger.ms", "5", "batch.size", "large")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(builder.settings()).isEqualTo(before);
  }

  /** As Kafka documents it; the first pause used to count instead. */
  @Test
  void boundOfThePauseCountsAlsoWhereTheFirstOneIsLonger() {
    RetryBackoff pauses = builder().properties(Map.of("retry.backoff.ms", 5_000)).backoff();
    assertThat(Duration.ofNanos(pauses.nanos(1, System.nanoTime()))).isBetween(Duration.ofMillis(800),
        Duration.ofMillis(1_200));
  }
}
