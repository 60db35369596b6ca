package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.broker.ProduceResponses;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.transaction.SequenceNumbers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A sender that finds no direct memory left when it needs some. */
@Timeout(60)
@ExtendWith(QuietLog.class)
class SenderWithoutMemoryTest {
  private static final long LATER_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final ScriptedBroker broker = ScriptedBroker.start(2);
  private final KafkaClient client = KafkaClient.builder(broker.address()).build();
  private final ClientInternals internals = ClientInternals.of(client);
  private final ProducerSettings settings = new ProducerSettings(ScriptedBroker.TOPIC, Acks.ALL, false, 0, 64 * 1024,
      1024 * 1024, LATER_NANOS, 2 * LATER_NANOS, Partitioner.byKey(), new RetryBackoff(1, 1), 20_000,
      CompressionType.NONE, 0, null, null, Integer.MAX_VALUE, 5);
  private final Sender sender = new Sender(internals, this::allocate);
  private final BatchMemory batchMemory = new BatchMemory(internals.loop(), sender.changed(), internals.sendMemory(),
      sender.spareChunks(), settings);
  private final ProducerState producer = new ProducerState(sender.topics().open(ScriptedBroker.TOPIC), settings,
      batchMemory,
      null, null, null);
  private final PartitionQueue[] queues = {new PartitionQueue(producer, 0, new SequenceNumbers()),
      new PartitionQueue(producer, 1, new SequenceNumbers())};
  /** Which allocation from now on is refused, counted down by the owner of the loop. */
  private int refused;
  /** Tag, and offset or error, of each record that a listener was told of. */
  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

  private final SendListener listener = new SendListener() {
    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {
      told.add(tag + " at " + offset);
    }

    @Override
    public void onFailure(long tag, KafkaException error) {
      told.add(tag + " " + error.code() + (error.getCause() instanceof OutOfMemoryError ? " no memory" : ""));
    }
  };

  private ByteBuffer allocate(int bytes) {
    if (--refused == 0) {
      throw new OutOfMemoryError("on purpose");
    }
    return ByteBuffer.allocateDirect(bytes);
  }

  @BeforeEach
  void open() throws InterruptedException {
    internals.cluster().awaitTopic(ScriptedBroker.TOPIC, System.nanoTime() + LATER_NANOS);
  }

  @AfterEach
  void close() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    internals.loop()
        .execute(
            () -> sender.closing().shutDown(producer, new KafkaException(ErrorCode.NONE, "the end"), done::countDown));
    boolean ended = done.await(20, TimeUnit.SECONDS);
    try (broker) {
      client.close();
    }
    assertThat(ended).isTrue();
  }

  private int leader(int partition) {
    return Objects.requireNonNull(internals.cluster().snapshot().topic(ScriptedBroker.TOPIC)).leader(partition);
  }

  private void append(int partition, long tag) {
    PendingRecord record = new PendingRecord();
    record.key("topic", "k", Serdes.string());
    byte[] value = record.value("topic", "v" + tag, Serdes.string());
    record.tag = tag;
    record.timestamp = 1;
    if (!queues[partition].append(record, value, listener)) {
      assertThat(queues[partition].appendToNewChunk(record, value, listener)).isEqualTo(PartitionQueue.APPENDED);
    }
  }

  private List<String> nextTold(int count) throws InterruptedException {
    List<String> next = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      next.add(String.valueOf(told.poll(20, TimeUnit.SECONDS)));
    }
    return next;
  }

  private void sendAndWait(int partition, long tag, String outcome) throws InterruptedException {
    internals.loop().execute(() -> append(partition, tag));
    assertThat(nextTold(1)).containsExactly(outcome);
  }

  @Test
  void requestThatHasNoMemoryIsSentAgainAndThoseToOtherLeadersAreNot() throws InterruptedException {
    // The error ended the round: the request to the other leader, which had left, was sent once more in the next one.
    try (ScriptedBroker other = broker.peer(2)) {
      broker.state().lead(1, 2);
      internals.loop().execute(() -> internals.cluster().requestUpdate());
      assertThat(internals.cluster().waiters().await(
          () -> leader(1) == 2,
          System.nanoTime() + LATER_NANOS)).isTrue();
      sendAndWait(0, 1, "1 at 0");
      sendAndWait(1, 2, "2 at 0");
      CountDownLatch bothSent = new CountDownLatch(1);
      broker.next(ApiKey.PRODUCE, Script.after(bothSent, Script.STANDARD));
      other.next(ApiKey.PRODUCE, Script.after(bothSent, Script.STANDARD));
      internals.loop().execute(() -> {
        refused = 1; // the second request of a round needs memory of its own
        append(0, 3);
        append(1, 4);
      });
      broker.await(ApiKey.PRODUCE, 2);
      other.await(ApiKey.PRODUCE, 2);
      bothSent.countDown();
      assertThat(nextTold(2)).containsExactlyInAnyOrder("3 at 1", "4 at 1");
      sendAndWait(0, 5, "5 at 2");
      sendAndWait(1, 6, "6 at 2");
      assertThat(other.requests(ApiKey.PRODUCE)).hasSize(3);
    }
    assertThat(broker.requests(ApiKey.PRODUCE)).hasSize(3);
    assertThat(broker.state().stored(0)).containsExactly("v1", "v3", "v5");
    assertThat(broker.state().stored(1)).containsExactly("v2", "v4", "v6");
    assertThat(refused).as("it was refused").isNotPositive();
  }

  @Test
  void batchThatCannotBeSplitFailsAndEachListenerIsToldOnce() throws InterruptedException {
    // The listeners had been taken out of it by then: they were never told, and its memory was lost.
    sendAndWait(0, 1, "1 at 0");
    broker.next(ApiKey.PRODUCE, ProduceResponses.refusal(ErrorCode.MESSAGE_TOO_LARGE));
    internals.loop().execute(() -> {
      refused = 1; // the header of the second half
      append(0, 2);
      append(0, 3);
      append(0, 4);
    });
    assertThat(nextTold(3)).containsExactly("2 MESSAGE_TOO_LARGE no memory", "3 MESSAGE_TOO_LARGE no memory",
        "4 MESSAGE_TOO_LARGE no memory");
    sendAndWait(0, 5, "5 at 1");
    CountDownLatch done = new CountDownLatch(1);
    internals.loop().execute(done::countDown);
    assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(queues[0].hasFinished(queues[0].begunBatches())).isTrue();
    assertThat(internals.sendMemory().pool().leasedBytes()).isZero();
    assertThat(told).isEmpty();
    assertThat(broker.state().stored(0)).containsExactly("v1", "v5");
  }
}
