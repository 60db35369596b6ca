package dev.decant.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Faults that the threads of several connections share. */
@Timeout(60)
class LaneFaultsTest {
  /** More than the carriers that the JDK adds for threads that wait within a monitor: 256 in all. */
  private static final int CONNECTIONS = 300;

  private final LaneFaults faults = new LaneFaults();
  private final CountDownLatch ended = new CountDownLatch(CONNECTIONS);

  private void awaitPassage() {
    try {
      if (faults.awaitPassage(System.nanoTime())) {
        ended.countDown();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** On Java 21 a virtual thread that waited here kept its carrier: with 256 of them no other virtual thread ran. */
  @Test
  void virtualThreadsThatWaitLeaveTheCarriersToOthers() throws InterruptedException {
    faults.passage(Passage.STALLED);
    List<Thread> waiting = new ArrayList<>();
    try {
      for (int i = 0; i < CONNECTIONS; i++) {
        waiting.add(Thread.startVirtualThread(this::awaitPassage));
      }
      CountDownLatch ran = new CountDownLatch(1);
      waiting.add(Thread.startVirtualThread(ran::countDown));

      assertThat(ran.await(20, TimeUnit.SECONDS)).as("another virtual thread runs").isTrue();
    } finally {
      faults.heal();
      for (Thread thread : waiting) {
        assertThat(thread.join(Duration.ofSeconds(10))).isTrue();
      }
    }
    assertThat(ended.getCount()).isZero();
  }
}
