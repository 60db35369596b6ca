package dev.decant.kafka.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.Batches;
import dev.decant.kafka.broker.FetchScripts;
import dev.decant.kafka.broker.QuietLog;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.FetchResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * After an error in the middle of a response, the records of the partitions before it were lost: the fetch offsets were
 * already behind them. Memory may run out at any point of a response.
 */
@Timeout(60)
@ExtendWith(QuietLog.class)
class ErrorInResponseTest {
  private static final Duration LATER = Duration.ofSeconds(20);

  private final AtomicInteger errors = new AtomicInteger();
  private final PositionPolicy policy = new PositionPolicy() {
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
      errors.incrementAndGet();
      throw new OutOfMemoryError("of this test");
    }

    @Override
    public KafkaException tooLarge(TopicPartition partition, long position, long next, String what) {
      throw new IllegalStateException(partition + " " + what);
    }
  };
  private final ScriptedBroker broker = ScriptedBroker.start(2);
  private final KafkaClient client = KafkaClient.builder(broker.address()).build();
  private final ClientInternals internals = ClientInternals.of(client);
  private final Fetcher fetcher = new Fetcher(internals,
      new FetchSettings(100, 1, 1 << 20, 1 << 20, false, "", policy));

  @AfterEach
  void close() {
    try (broker) {
      client.close();
    }
  }

  @Test
  void recordsBeforeTheErrorAreFetchedAgain() throws InterruptedException {
    broker.state().store(0, "a", "b");
    broker.next(ApiKey.FETCH, FetchScripts.saying(p -> {
      if (p.partitionIndex() == 0) {
        p.records(Batches.of(0, "a", "b"));
      } else {
        p.divergingEpoch(new FetchResponse.EpochEndOffset().epoch(0).endOffset(0));
      }
    }));
    List<PartitionFetchState> both = List.of(new PartitionFetchState(ScriptedBroker.TOPIC, 0),
        new PartitionFetchState(ScriptedBroker.TOPIC, 1));
    internals.loop().execute(() -> {
      internals.loop().add(fetcher);
      internals.cluster().onChange(fetcher::onChange);
      fetcher.assign(both);
      both.forEach(p -> fetcher.seek(p, 1, 0, PartitionFetchState.NO_EPOCH, 0));
    });
    long deadline = internals.loop().clock().nanoTime() + LATER.toNanos();
    FetchedRecords first = null;
    while (first == null) {
      assertThat(internals.cluster().waiters().await(fetcher::needsWakeup, deadline)).isTrue();
      fetcher.failures().take();
      first = fetcher.next();
    }
    assertThat(errors).hasValue(1);
    assertThat(first.partition()).isSameAs(both.getFirst());
    assertThat(first.fetchOffset()).isZero();
    first.release();
    assertThat(internals.fetchMemory().leasedBytes()).isZero();
  }
}
