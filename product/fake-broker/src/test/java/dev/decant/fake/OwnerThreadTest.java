package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fake.cluster.ClusterClock;
import dev.decant.loop.EventLoop;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that each call of a test happens once and completely, also on an interrupted thread. */
@Timeout(30)
class OwnerThreadTest {
  @AfterEach
  void clearInterrupt() {
    Thread.interrupted();
  }

  /** JUnit interrupts a test at its timeout: closing then threw, and the port could stay open. */
  @Test
  void anInterruptedThreadClosesTheWholeCluster() {
    FakeCluster cluster = FakeCluster.builder().brokers(2).start();
    int port = cluster.broker(1).port();
    Thread.currentThread().interrupt();
    cluster.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port)).isInstanceOf(ConnectException.class);
    assertThatThrownBy(cluster::requests).isInstanceOf(FakeClusterException.class).hasMessageContaining("closed");
  }

  /** The call threw, and happened nevertheless. */
  @Test
  void anInterruptedThreadStartsAClusterAndChangesIt() {
    Thread.currentThread().interrupt();
    try (FakeCluster cluster = FakeCluster.builder().brokers(2).topic("orders", 2).start()) {
      cluster.moveLeader("orders", 0, 2);
      cluster.broker(1).kill();
      cluster.broker(1).restart();
      FakeSnapshot snapshot = cluster.snapshot();
      cluster.restore(snapshot);
      cluster.reset();
      assertThat(cluster.log("orders", 0).texts()).isEqualTo(List.of());
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
  }

  /** The second of two closing threads returned while the ports were still open. */
  @Test
  void aSecondCloseWaitsForTheFirst() throws Exception {
    OwnerThread owner = new OwnerThread(EventLoop.start("owner-thread-test", new ClusterClock()), false);
    CountDownLatch mayEnd = new CountDownLatch(1);
    CountDownLatch ends = new CountDownLatch(1);
    AtomicInteger freed = new AtomicInteger();
    CompletableFuture<Void> first = CompletableFuture.runAsync(() -> owner.close(() -> {
      ends.countDown();
      awaitSafely(mayEnd);
    }, freed::incrementAndGet));
    ends.await();
    CompletableFuture<Integer> freedAtItsEnd = new CompletableFuture<>();
    Thread second = Thread.ofPlatform().start(() -> {
      owner.close(() -> {}, freed::incrementAndGet);
      freedAtItsEnd.complete(freed.get());
    });
    while (second.getState() != Thread.State.WAITING && second.isAlive()) { // the test's timeout bounds the loop
      Thread.onSpinWait();
    }
    mayEnd.countDown();
    assertThat(freedAtItsEnd.get(20, TimeUnit.SECONDS)).isEqualTo(1);
    first.get(20, TimeUnit.SECONDS);
  }

  private static void awaitSafely(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
