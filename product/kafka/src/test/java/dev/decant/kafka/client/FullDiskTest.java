package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.broker.FetchScripts;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Tests a broker whose disk is full. It refuses writes and reads with KAFKA_STORAGE_ERROR, takes the log directory out
 * of use and ends, since it has no other. Another replica leads then, if there is one.
 */
class FullDiskTest extends AgainstScriptedBroker {
  private static final Script REFUSAL = ProduceResponses.refusal(ErrorCode.KAFKA_STORAGE_ERROR);

  FullDiskTest() {
    super(1, LATER);
  }

  @Test
  void recordsGoToTheReplicaThatLeadsNext() throws Exception {
    try (ScriptedBroker replica = broker.peer(2); Producer<String, String> producer = producer(LATER)) {
      producer.sendAndWait(null, "a");
      broker.always(ApiKey.PRODUCE, REFUSAL);
      producer.send(null, "b");
      broker.await(ApiKey.PRODUCE, 3);
      broker.state().lead(0, 2);
      broker.cutAll();
      assertThat(producer.flush(LATER)).isTrue();
      producer.sendAndWait(null, "c");
      assertThat(replica.requests(ApiKey.PRODUCE)).isNotEmpty();
    }
    assertThat(broker.state().stored(0)).containsExactly("a", "b", "c");
  }

  @Test
  void recordsFailByTheirDeadlineIfNoReplicaLeads() throws InterruptedException {
    try (Producer<String, String> producer = producer(Duration.ofMillis(500))) {
      broker.always(ApiKey.PRODUCE, REFUSAL);
      assertThatThrownBy(() -> producer.sendAndWait(null, "a")).isInstanceOf(KafkaTimeoutException.class)
          .hasMessageContaining("produce to orders-0").hasMessageContaining("KAFKA_STORAGE_ERROR")
          .hasMessageContaining(address());
      broker.always(ApiKey.PRODUCE, Script.STANDARD); // the disk has room again
      producer.sendAndWait(null, "b");
    }
    assertThat(broker.state().stored(0)).containsExactly("b");
  }

  @Test
  void readingGoesOnAtTheReplicaThatLeadsNext() throws Exception {
    broker.state().store(0, "a", "b");
    try (ScriptedBroker replica = broker.peer(2); Consumer<String, String> consumer = consumer(1, 0)) {
      assertThat(read(consumer, 1)).containsExactly("a");
      broker.always(ApiKey.FETCH, FetchScripts.refusal(ErrorCode.KAFKA_STORAGE_ERROR));
      broker.state().lead(0, 2);
      broker.cutAll();
      broker.state().store(0, "c");
      assertThat(read(consumer, 2)).containsExactly("b", "c");
      assertThat(replica.requests(ApiKey.FETCH)).isNotEmpty();
    }
  }
}
