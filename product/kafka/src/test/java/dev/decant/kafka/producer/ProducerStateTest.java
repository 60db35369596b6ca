package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.buffer.BufferPool;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.RetryBackoff;
import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.record.CompressionType;
import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ProducerStateTest {
  private static final int ROUNDS = 20_000;

  private final EventLoop loop = EventLoop.start("test-producer", Clock.system());
  private final BufferPool pool = new BufferPool(8 * 1024 * 1024, PartitionQueue.SMALLEST_CHUNK_BYTES, true);
  private final ProducerSettings settings = new ProducerSettings("t", Acks.ALL, true, 0, 64 * 1024, 1024 * 1024,
      1_000_000_000L, 1_000_000_000L, Partitioner.byKey(), new RetryBackoff(1, 1), 1_000, CompressionType.NONE, 0, null,
      null, Integer.MAX_VALUE, 5);
  private final BatchMemory batchMemory = new BatchMemory(loop, new ChangedQueues(loop), new SendMemory(loop, pool),
      new SpareChunks(pool.maxBytes()), settings);

  @AfterEach
  void close() {
    loop.close();
    pool.close();
  }

  /** A sender that took a retired producer for a closed one failed its record, and the topic was never opened again. */
  @Test
  @Timeout(60)
  void retiredProducerIsNeverTakenForAClosedOne() throws Exception {
    CyclicBarrier round = new CyclicBarrier(2);
    try (ExecutorService owner = Executors.newSingleThreadExecutor()) {
      for (int i = 0; i < ROUNDS; i++) {
        ProducerState state = new ProducerState(new ProduceTopic("t"), settings, batchMemory, null, null, null);
        Future<?> retired = owner.submit(() -> {
          round.await();
          state.retire();
          return null;
        });
        round.await();
        assertThat(whyClosed(state)).isInstanceOf(RetiredException.class);
        retired.get();
      }
    }
  }

  private static KafkaException whyClosed(ProducerState state) {
    while (true) {
      try {
        state.requireOpen();
      } catch (KafkaException e) {
        return e;
      }
    }
  }
}
