package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.producer.Ack;
import dev.decant.kafka.producer.Partitioner;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.protocol.ApiKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests the partitions of records, and the stages in errors. */
class PartitionerTest extends AgainstScriptedBroker {
  private static final int PARTITIONS = 3;

  PartitionerTest() {
    super(PARTITIONS, LATER);
  }

  private static List<Integer> partitions(Producer<String, String> producer, String... keys)
      throws InterruptedException {
    List<Integer> partitions = new ArrayList<>();
    for (String key : keys) {
      partitions.add(producer.sendAndWait(key, "v").partition());
    }
    return partitions;
  }

  @Test
  void roundRobinTakesOnePartitionAfterTheOtherWhateverTheKey() throws InterruptedException {
    try (Producer<String, String> producer = producer().partitioner(Partitioner.roundRobin()).open()) {
      assertThat(partitions(producer, "a", "a", "a", "b", "a")).containsExactly(0, 1, 2, 0, 1);
    }
  }

  @Test
  void ownPartitionerGetsTheEncodedKeyAndHowManyPartitionsThereAre() throws InterruptedException {
    Partitioner byLength = (key, keyLength, partitions) -> {
      assertThat(partitions).isEqualTo(PARTITIONS);
      assertThat(key[0]).isEqualTo((byte) 'k');
      return keyLength % partitions;
    };
    try (Producer<String, String> producer = producer().partitioner(byLength).open()) {
      assertThat(partitions(producer, "k", "kk", "kkk", "kkkk")).containsExactly(1, 2, 0, 1);
    }
  }

  @Test
  void stickyIsOnePartitionUntilItsBatchIsFull() throws InterruptedException {
    Partitioner sticky = (key, keyLength, partitions) -> Partitioner.STICKY;
    try (Producer<String, String> producer = producer().partitioner(sticky).open()) {
      assertThat(partitions(producer, "a", "b", "c", "d", "e", "f")).as("with each batch another").contains(0, 1, 2);
    }
  }

  /** The record that found the batch full once began the next one of that partition, and waited there alone. */
  @Test
  void recordThatFindsTheBatchFullGoesToTheNextPartition() throws InterruptedException {
    try (Producer<String, String> producer = producer().batchSize(1024).linger(LATER).open()) {
      for (int i = 0; i < 8; i++) {
        producer.send(null, "v".repeat(200)); // four of them fit into a batch
      }
      assertThat(producer.flush(LATER)).isTrue();
    }
    assertThat(IntStream.range(0, PARTITIONS).map(p -> broker.state().stored(p).size()).boxed())
        .containsExactlyInAnyOrder(4, 4, 0);
  }

  /** The threads use different partitions if they meet in one, and no record is lost on the way. */
  @Test
  void recordsOfManyThreadsAreStoredOnceEach() throws InterruptedException {
    int threads = 4;
    int each = 20_000;
    try (Producer<String, String> producer = producer().batchSize(4096).open()) {
      List<Thread> senders = IntStream.range(0, threads).mapToObj(t -> Thread.ofPlatform().start(() -> {
        for (int i = 0; i < each; i++) {
          producer.send(null, t + "-" + i);
        }
      })).toList();
      for (Thread sender : senders) {
        sender.join();
      }
      assertThat(producer.flush(LATER)).isTrue();
    }
    List<String> stored = IntStream.range(0, PARTITIONS).boxed().flatMap(p -> broker.state().stored(p).stream())
        .toList();
    assertThat(stored).doesNotHaveDuplicates().hasSize(threads * each);
    assertThat(IntStream.range(0, PARTITIONS)).as("each has its share")
        .allMatch(p -> broker.state().stored(p).size() > each / threads);
  }

  @Test
  void choiceThatDoesNotExistIsRefusedAndNothingIsSent() throws InterruptedException {
    try (Producer<String, String> producer = producer().partitioner((key, length, n) -> length < 2 ? n : -2).open()) {
      assertThatThrownBy(() -> producer.send("k", "v")).isInstanceOf(IllegalArgumentException.class)
          .hasMessage("partition 3 was chosen for a record, but orders has partitions 0 to 2");
      assertThatThrownBy(() -> producer.send("kk", "v")).hasMessageContaining("partition -2 was chosen");
      assertThat(producer.flush(LATER)).isTrue();
    }
    for (int p = 0; p < PARTITIONS; p++) {
      assertThat(broker.state().stored(p)).isEmpty();
    }
  }

  @Test
  void optionsChoosePartitionTimestampAndHeadersOfEachRecord() throws InterruptedException {
    SendOptions options = new SendOptions();
    options.headers().addText("h", "1");
    try (Producer<String, String> producer = producer().open()) {
      assertThat(producer.sendAndWait("a", "v0", options.partition(2).timestamp(1_000)))
          .isEqualTo(new Ack(2, 0, 1_000));
      assertThat(producer.sendAndWait("a", "v1", options.timestamp(5_000_000_000_000L)))
          .isEqualTo(new Ack(2, 1, 5_000_000_000_000L));
      long before = System.currentTimeMillis();
      Ack plain = producer.sendAndWait("a", "v2", options.clear());
      assertThat(plain.timestamp()).isBetween(before, System.currentTimeMillis());
      assertThat(plain.partition()).as("the key's").isEqualTo(producer.sendAndWait("a", "v3").partition());
    }
    assertThatThrownBy(() -> options.partition(-1)).hasMessage("partition: -1 is negative");
    assertThatThrownBy(() -> options.timestamp(-1)).hasMessage("timestamp: -1 is negative");
  }

  @Test
  void stageEndsWithTheRecordsPlace() throws Exception {
    try (Producer<String, String> producer = producer().partitioner(Partitioner.roundRobin()).open()) {
      CompletableFuture<Ack> first = producer.sendAsync("a", "v", null);
      CompletableFuture<Long> offset = first.thenApply(Ack::offset);
      assertThat(first.get(LATER.toSeconds(), TimeUnit.SECONDS).partition()).isZero();
      assertThat(offset.get(LATER.toSeconds(), TimeUnit.SECONDS)).isZero();
    }
  }

  @Test
  void stageOfARecordThatIsNotStoredEndsWithTheError() throws Exception {
    broker.always(ApiKey.PRODUCE, Script.SILENCE); // close sends the remaining records
    Producer<String, String> producer = producer().linger(LATER).open();
    CompletableFuture<Ack> stage = producer.sendAsync("a", "v", null);
    producer.close(java.time.Duration.ZERO);
    assertThatThrownBy(() -> stage.get(LATER.toSeconds(), TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class)
        .cause().isInstanceOf(KafkaException.class).hasMessageContaining("was closed");
  }
}
