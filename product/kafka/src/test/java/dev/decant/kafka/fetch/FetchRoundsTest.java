package dev.decant.kafka.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.internal.ClientInternals;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A round of fetching visited each partition twice, whatever had happened. With 600 partitions that was most of the
 * cost of a small response.
 */
@Timeout(60)
@ExtendWith(QuietLog.class)
class FetchRoundsTest {
  private static final int PARTITIONS = 300;
  private static final int RECORDS = 20;
  private static final Duration LATER = Duration.ofSeconds(20);

  /** This test needs no lookup of offsets. */
  private static final PositionPolicy NOWHERE = new PositionPolicy() {
    @Override
    public boolean isNone() {
      return true;
    }

    @Override
    public long timestamp() {
      return 0;
    }

    @Override
    public KafkaException truncated(TopicPartition partition, String broker, long position, int epoch,
        long divergedAt, int divergedEpoch) {
      throw new IllegalStateException(partition + " was truncated");
    }

    @Override
    public KafkaException tooLarge(TopicPartition partition, long position, long next, String what) {
      throw new IllegalStateException(partition + " " + what);
    }
  };

  private final ScriptedBroker broker = ScriptedBroker.start(PARTITIONS);
  private final KafkaClient client = KafkaClient.builder(broker.address()).build();
  private final ClientInternals internals = ClientInternals.of(client);
  private final Fetcher fetcher = new Fetcher(internals,
      new FetchSettings(100, 1, 1 << 20, 1 << 20, false, "", NOWHERE));
  private final List<PartitionFetchState> partitions = IntStream.range(0, PARTITIONS)
      .mapToObj(i -> new PartitionFetchState(ScriptedBroker.TOPIC, i)).toList();

  @AfterEach
  void close() {
    try (broker) {
      client.close();
    }
  }

  private long visits() {
    AtomicLong visits = new AtomicLong();
    internals.runOnLoop(() -> visits.set(fetcher.visits()));
    return visits.get();
  }

  /** Takes the records that have arrived and returns their memory. Returns their partition. */
  private int take() throws InterruptedException {
    long deadline = internals.loop().clock().nanoTime() + LATER.toNanos();
    assertThat(internals.cluster().waiters().await(fetcher::needsWakeup, deadline)).isTrue();
    FetchedRecords records = Objects.requireNonNull(fetcher.next());
    int partition = records.partition().partition();
    records.release();
    return partition;
  }

  @Test
  void roundVisitsPartitionsThatHaveMovedAndNotAll() throws InterruptedException {
    internals.loop().execute(() -> {
      internals.loop().add(fetcher);
      internals.cluster().onChange(fetcher::onChange);
      fetcher.assign(partitions);
      partitions.forEach(p -> fetcher.seek(p, 1, 0, PartitionFetchState.NO_EPOCH, 0));
    });
    broker.state().store(0, "first");
    assertThat(take()).isZero();
    long before = visits();

    for (int i = 0; i < RECORDS; i++) {
      broker.state().store(i, "next");
      assertThat(take()).isEqualTo(i);
    }

    assertThat(before).as("all of them, to begin with").isGreaterThanOrEqualTo(PARTITIONS);
    assertThat(visits() - before).isBetween((long) RECORDS - 1, (long) PARTITIONS - 1);
  }
}
