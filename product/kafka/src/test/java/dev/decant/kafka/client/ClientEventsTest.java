package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.ConnectionStatus;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.Statistic;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.event.ConsumerListener;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.ErrorListener;
import dev.decant.kafka.event.ErrorReport;
import dev.decant.kafka.event.MetadataListener;
import dev.decant.kafka.event.ProducerListener;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Tests the events and counters of a client that works, and of one that does not. */
class ClientEventsTest extends AgainstScriptedBroker {
  private final Queue<String> recorded = new ConcurrentLinkedQueue<>();

  ClientEventsTest() {
    super(1, LATER);
  }

  private void watchEverything() {
    client.events().watchConnections(new ConnectionListener() {
      @Override
      public void onReady(String broker, long nanos) {
        recorded.add("ready " + (nanos > 0));
      }

      @Override
      public void onEnded(String broker, int unanswered, KafkaException cause) {
        recorded.add("ended");
      }

      @Override
      public void onResponse(String broker, short apiKey, int bytes, long nanos) {
        if (apiKey == ApiKey.PRODUCE.id()) {
          recorded.add("response " + (bytes > 0 && nanos > 0));
        }
      }
    });
    watchProducers();
    watchConsumersAndMetadata();
    client.events().watchErrors(new ErrorListener() {
      @Override
      public void onError(ErrorKind kind, String where, Throwable cause) {
        recorded.add("error " + kind.code());
      }
    });
  }

  private void watchProducers() {
    client.events().watchProducers(new ProducerListener() {
      @Override
      public void onBatchSent(String topic, int partition, int records, int bytes, int attempt) {
        recorded.add("sent " + topic + "-" + partition + " " + records + " attempt " + attempt);
      }

      @Override
      public void onBatchAcknowledged(String topic, int partition, long baseOffset, int records, int bytes,
          long nanos) {
        recorded.add("stored at " + baseOffset);
      }

      @Override
      public void onBatchRetried(String topic, int partition, int records, KafkaException cause) {
        recorded.add("retried " + cause.code());
      }

      @Override
      public void onBatchFailed(String topic, int partition, int records, KafkaException cause) {
        recorded.add("failed " + cause.code());
      }
    });
  }

  private void watchConsumersAndMetadata() {
    client.events().watchConsumers(new ConsumerListener() {
      @Override
      public void onPositionFound(String topic, int partition, long offset) {
        recorded.add("position " + offset);
      }

      @Override
      public void onPolled(int records) {
        recorded.add("polled " + records);
      }
    });
    client.events().watchMetadata(new MetadataListener() {
      @Override
      public void onLeaderChanged(String topic, int partition, int before, int now) {
        recorded.add("leader " + before + " -> " + (now >= 0));
      }
    });
  }

  @Test
  void aBatchThatIsRefusedOnceRecordsItsStages() throws InterruptedException {
    watchEverything();
    broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.NOT_LEADER_OR_FOLLOWER));
    try (Producer<String, String> producer = producer(LATER)) {
      producer.sendAndWait("k", "a");
    }
    assertThat(recorded).containsExactly("ready true", "leader -1 -> true", "sent orders-0 1 attempt 1",
        "response true",
        "retried NOT_LEADER_OR_FOLLOWER", "error produce.retried", "sent orders-0 1 attempt 2", "response true",
        "stored at 0");
  }

  @Test
  void whatIsGivenUpIsAnError() throws InterruptedException {
    watchEverything();
    broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.TOPIC_AUTHORIZATION_FAILED));
    try (Producer<String, String> producer = producer(LATER)) {
      producer.send("k", "a");
      producer.flush(LATER);
    }
    assertThat(recorded).containsSubsequence("failed TOPIC_AUTHORIZATION_FAILED", "error produce.failed");
    assertThat(client.status().lastErrors()).extracting(ErrorReport::kind).contains(ErrorKind.PRODUCE_FAILED);
  }

  @Test
  void consumingReportsPositionsAndPolls() throws InterruptedException {
    broker.state().store(0, "a", "b", "c");
    watchEverything();
    try (var consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      read(consumer, 3);
    }
    assertThat(recorded).containsSubsequence("position 0", "polled 3");
  }

  @Test
  void aConnectionThatIsCutIsReportedAndMadeAnew() throws InterruptedException {
    watchEverything();
    broker.next(ApiKey.PRODUCE, Script.STANDARD, Script.CUT);
    try (Producer<String, String> producer = producer(LATER)) {
      producer.sendAndWait("k", "a");
      producer.sendAndWait("k", "b");
    }
    assertThat(recorded).containsSubsequence("ready true", "ended", "error connection.ended", "ready true");
  }

  @Test
  void statisticsCountWhatWasDone() throws InterruptedException {
    KafkaStatistics statistics = new KafkaStatistics();
    try (Producer<String, String> producer = producer(LATER)) {
      producer.sendAndWait("k", "a");
      client.statistics(statistics);
      assertThat(List.of(statistics.value(Statistic.RECORDS_ACKNOWLEDGED), statistics.value(Statistic.BATCHES_SENT),
          statistics.value(Statistic.CONNECTIONS_READY), statistics.value(Statistic.ERRORS)))
          .containsExactly(1L, 1L, 1L, 0L);
      producer.sendAndWait("k", "b");
      client.statistics(statistics);
      assertThat(statistics.delta(Statistic.RECORDS_ACKNOWLEDGED)).isEqualTo(1);
      assertThat(statistics.delta(Statistic.CONNECTIONS_READY)).isZero();
    }
  }

  @Test
  void theConnectionOfFetchesIsPartOfTheStatus() throws InterruptedException {
    broker.state().store(0, "a");
    try (var consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      read(consumer, 1);
      assertThat(client.status().connections()).hasSize(2).allMatch(ConnectionStatus::ready);
    }
  }

  @Test
  void statusReportsConnectionsMetadataAndTheEnd() throws InterruptedException {
    assertThat(client.status().isReady()).isFalse();
    try (Producer<String, String> producer = producer(LATER)) {
      producer.sendAndWait("k", "a");
      ClientStatus status = client.status();
      assertThat(status.isLive()).isTrue();
      assertThat(status.isReady()).isTrue();
      assertThat(status.metadataAge()).isNotNull().isPositive();
      assertThat(status.connections()).singleElement().satisfies(c -> {
        assertThat(c.broker()).isEqualTo(address());
        assertThat(c.ready()).isTrue();
        assertThat(c.lastError()).isNull();
      });
    }
    client.close();
    assertThat(client.status().isLive()).isFalse();
    assertThat(client.status().isReady()).isFalse();
  }
}
