package dev.decant.kafka.work.apache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.work.WorkBuilder;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;

/** Settings that contradict the work are refused in one line, and each client gets its own. */
class ApacheClientsTest {
  private static final Map<String, Object> SETTINGS = Map.of("bootstrap.servers", "localhost:1", "group.id", "billing",
      "group.instance.id", "one", "client.id", "orders", "security.protocol", "PLAINTEXT", "fetch.max.bytes", 1000,
      "of.a.plugin", "x", "interceptor.classes", "some.Class");

  private static ApacheClients with(String name, Object value) {
    Map<String, Object> settings = new HashMap<>(SETTINGS);
    settings.put(name, value);
    return ApacheClients.of(settings);
  }

  @Test
  void contradictionsAreRefusedInOneLine() {
    assertThatThrownBy(() -> with("enable.auto.commit", "true")).isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("enable.auto.commit=true would commit records that are not done");
    assertThatThrownBy(() -> with("enable.auto.commit", true)).hasMessageContaining("enable.auto.commit=true");
    assertThatThrownBy(() -> ApacheClients.of(SETTINGS).producerSettings(Map.of("transactional.id", "t")))
        .hasMessageStartingWith("transactional.id");
    assertThatThrownBy(() -> ApacheClients.of(SETTINGS).producerSettings(Map.of("acks", 0)))
        .hasMessageStartingWith("acks=0 would lose dead letters");
    assertThatThrownBy(() -> ApacheWork.on(with("value.deserializer", "some.Other"), new StringDeserializer(),
        new StringDeserializer())).hasMessage("value.deserializer=some.Other is not the deserializer of the work, "
            + "org.apache.kafka.common.serialization.StringDeserializer: drop one of them");
    assertThatThrownBy(() -> work().group("other").subscribe("orders").open(record -> {}))
        .hasMessage("group.id=billing is not the group of the work, other: drop one of them");
  }

  @Test
  void whatOnlyDecantsClientHasIsRefusedWithTheReason() {
    assertThatThrownBy(() -> work().exactlyOnce("billing-1")).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("needs Decant's client").hasMessageContaining("drop exactlyOnce(...)");
    assertThatThrownBy(() -> work().consumer(consumer -> consumer)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("put its settings into the map");
  }

  private static WorkBuilder<String, String> work() {
    return ApacheWork.on(with("key.deserializer", StringDeserializer.class), new StringDeserializer(),
        new StringDeserializer()).commitEvery(Duration.ofSeconds(1), 10);
  }

  @Test
  void eachClientGetsItsOwnSettings() {
    ClientSettings settings = ApacheClients.of(SETTINGS).producerSettings(Map.of("linger.ms", 3, "max.block.ms", 9))
        .settings();

    assertThat(settings.member("billing", true)).containsAllEntriesOf(SETTINGS)
        .containsEntry("enable.auto.commit", false).containsEntry("auto.offset.reset", "earliest")
        .containsEntry("key.deserializer", ByteArrayDeserializer.class)
        .containsEntry("partition.assignment.strategy", "org.apache.kafka.clients.consumer.RangeAssignor");
    assertThat(settings.reader()).containsEntry("bootstrap.servers", "localhost:1")
        .containsEntry("allow.auto.create.topics", false)
        .doesNotContainKeys("group.id", "group.instance.id", "client.id", "interceptor.classes");
    assertThat(settings.producer()).containsEntry("bootstrap.servers", "localhost:1").containsEntry("linger.ms", 3)
        .containsEntry("max.block.ms", 0L).containsEntry("of.a.plugin", "x")
        .containsEntry("value.serializer", ByteArraySerializer.class)
        .doesNotContainKeys("group.id", "fetch.max.bytes", "client.id", "interceptor.classes");
    assertThat(settings.admin()).containsEntry("security.protocol", "PLAINTEXT").doesNotContainKeys("group.id");
  }

  @Test
  void anAssignorOfTheSettingsStaysAndTheConsumerProtocolAssignsByRange() {
    assertThat(with("partition.assignment.strategy", "some.Assignor").settings().member("billing", true))
        .containsEntry("partition.assignment.strategy", "some.Assignor");
    assertThat(with("group.protocol", "CONSUMER").settings().member("billing", true))
        .containsEntry("group.remote.assignor", "range").doesNotContainKey("partition.assignment.strategy");
    assertThat(with("group.protocol", "consumer").settings().reader()).doesNotContainKey("group.protocol");
  }
}
