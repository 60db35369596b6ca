package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.broker.Disturbance;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Disturbs each response of a broker in each way. After one disturbance the client continues as if there were none. If
 * all responses are disturbed, its error names the stage and the broker. The pools are in checked mode, so a client
 * that keeps memory fails to close.
 */
class HostileBrokerTest extends AgainstScriptedBroker {
  HostileBrokerTest() {
    super(1, SOON);
  }

  private static Stream<Arguments> disturbancesOf(ApiKey... apis) {
    return Stream.of(apis).flatMap(api -> Stream.of(Disturbance.values()).map(d -> Arguments.of(api, d)));
  }

  static Stream<Arguments> answersToAProducer() {
    return disturbancesOf(ApiKey.API_VERSIONS, ApiKey.METADATA, ApiKey.INIT_PRODUCER_ID, ApiKey.PRODUCE);
  }

  static Stream<Arguments> answersToAConsumer() {
    return disturbancesOf(ApiKey.LIST_OFFSETS, ApiKey.FETCH);
  }

  @ParameterizedTest
  @MethodSource("answersToAProducer")
  void producerGoesOnAfterADisturbedResponseAndStoresEachRecordOnce(ApiKey api, Disturbance disturbance)
      throws InterruptedException {
    broker.next(api, disturbance);
    try (Producer<String, String> producer = producer(LATER)) {
      producer.sendAndWait(null, "a");
      producer.sendAndWait(null, "b");
    }
    assertThat(broker.requests(api)).hasSizeGreaterThanOrEqualTo(disturbance == Disturbance.TWICE ? 1 : 2);
    assertThat(broker.state().stored(0)).containsExactly("a", "b");
  }

  @ParameterizedTest
  @MethodSource("answersToAConsumer")
  void consumerGoesOnAfterADisturbedResponseAndReadsEachRecordOnce(ApiKey api, Disturbance disturbance)
      throws InterruptedException {
    broker.state().store(0, "a", "b");
    broker.next(api, disturbance);
    try (Consumer<String, String> consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      List<String> values = read(consumer, 2);
      broker.state().store(0, "c");
      values.addAll(read(consumer, 1));
      assertThat(values).containsExactly("a", "b", "c");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"CUT_IN_THE_MIDDLE", "GARBAGE", "NOTHING"})
  void withoutMetadataThatCanBeReadOpenFailsAndNamesTheBroker(Disturbance disturbance) throws InterruptedException {
    broker.always(ApiKey.METADATA, disturbance);
    assertThatThrownBy(() -> producer(Duration.ofMillis(500))).isInstanceOf(KafkaTimeoutException.class)
        .hasMessageContaining("metadata of topic orders").hasStackTraceContaining("broker " + address());
    broker.always(ApiKey.METADATA, Script.STANDARD);
    try (Producer<String, String> producer = producer(LATER)) {
      assertThat(producer.sendAndWait(null, "a").offset()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"CUT_IN_THE_MIDDLE", "GARBAGE", "NOTHING"})
  void withoutVersionsThatCanBeReadOpenFailsAndNamesTheBroker(Disturbance disturbance) throws InterruptedException {
    broker.always(ApiKey.API_VERSIONS, disturbance);
    assertThatThrownBy(() -> producer(Duration.ofMillis(500))).isInstanceOf(KafkaTimeoutException.class)
        .hasMessageContaining("metadata of topic orders").hasStackTraceContaining("broker " + address());
    broker.always(ApiKey.API_VERSIONS, Script.STANDARD);
    try (Producer<String, String> producer = producer(LATER)) {
      assertThat(producer.sendAndWait(null, "a").offset()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"CUT_IN_THE_MIDDLE", "GARBAGE", "NOTHING"})
  void withoutAnIdentityARecordFailsAndTheErrorNamesPartitionStageAndBroker(Disturbance disturbance)
      throws InterruptedException {
    broker.always(ApiKey.INIT_PRODUCER_ID, disturbance);
    try (Producer<String, String> producer = producer(Duration.ofMillis(500))) {
      assertThatThrownBy(() -> producer.sendAndWait(null, "a")).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("produce to orders-0").hasMessageContaining("stage waiting to be sent")
          .hasMessageContaining("broker " + address());
    }
    broker.always(ApiKey.INIT_PRODUCER_ID, Script.STANDARD);
    try (Producer<String, String> producer = producer(LATER)) {
      assertThat(producer.sendAndWait(null, "b").offset()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"CUT_IN_THE_MIDDLE", "GARBAGE", "NOTHING"})
  void withoutResponsesToProduceARecordFailsAndTheErrorNamesPartitionStageAndBroker(Disturbance disturbance)
      throws InterruptedException {
    broker.always(ApiKey.PRODUCE, disturbance);
    try (Producer<String, String> producer = producer(Duration.ofMillis(500))) {
      assertThatThrownBy(() -> producer.sendAndWait(null, "a")).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("produce to orders-0").hasMessageMatching(AgainstScriptedBroker.SENT_BEFORE)
          .hasMessageContaining("last error").hasMessageContaining("broker " + address());
      broker.always(ApiKey.PRODUCE, Script.STANDARD);
      sendUntilStored(producer, "b");
      assertThat(broker.state().stored(0)).endsWith("b");
    }
  }

  /** Repeats sends: a busy machine may be slower than a producer with short timeouts. */
  private static void sendUntilStored(Producer<String, String> producer, String value) throws InterruptedException {
    long deadline = System.nanoTime() + LATER.toNanos();
    while (true) {
      try {
        producer.sendAndWait(null, value);
        return;
      } catch (KafkaTimeoutException e) {
        if (System.nanoTime() - deadline >= 0) {
          throw e;
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"CUT_IN_THE_MIDDLE", "GARBAGE", "NOTHING"})
  void withoutOffsetsThePositionIsAnErrorThatNamesPartitionAndBroker(Disturbance disturbance)
      throws InterruptedException {
    broker.state().store(0, "a");
    broker.always(ApiKey.LIST_OFFSETS, disturbance);
    try (Consumer<String, String> consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      assertThatThrownBy(() -> consumer.position(ScriptedBroker.TOPIC, 0, Duration.ofMillis(500)))
          .isInstanceOf(KafkaException.class).hasMessageContaining("position of orders-0")
          .hasMessageContaining("broker " + address());
      broker.always(ApiKey.LIST_OFFSETS, Script.STANDARD);
      assertThat(read(consumer, 1)).containsExactly("a");
    }
  }
}
