package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CloseAtOnceTest {
  private static final int ROUNDS = 300;
  private static final int THREADS = 2;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Threads that closed a client at the same time once all closed its parts. */
  @Test
  void oneOfTheThreadsThatCloseAClientDoesSo() throws InterruptedException {
    for (int round = 0; round < ROUNDS; round++) {
      ClientParts parts = new ClientParts(KafkaClient.builder("localhost:1"));
      AtomicInteger closed = new AtomicInteger();
      parts.register(closed::incrementAndGet);
      AtomicInteger absent = new AtomicInteger(THREADS);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        threads.add(Thread.ofPlatform().daemon().start(() -> {
          absent.decrementAndGet();
          while (absent.get() > 0) {
            Thread.onSpinWait(); // so the threads continue within nanoseconds
          }
          parts.close();
        }));
      }
      for (Thread thread : threads) {
        assertThat(thread.join(PATIENCE)).isTrue();
      }
      assertThat(closed).as("round %d", round).hasValue(1);
    }
  }
}
