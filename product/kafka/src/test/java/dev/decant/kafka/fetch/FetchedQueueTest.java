package dev.decant.kafka.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the queue between the owner of the loop and the polling thread. */
class FetchedQueueTest {
  private static final int MANY = 300_000;

  private final FetchedQueue queue = new FetchedQueue();
  private final PartitionFetchState partition = new PartitionFetchState("orders", 0);

  private FetchedRecords at(long offset) {
    return new FetchedRecords("", null, partition).requested(partition, 0, offset);
  }

  private long taken() {
    FetchedRecords records = queue.poll();
    return records == null ? -1 : records.fetchOffset();
  }

  @Test
  void emptyQueueHasNothing() {
    assertThat(queue.isEmpty()).isTrue();
    assertThat(queue.poll()).isNull();
  }

  @Test
  void orderIsKeptWhileItGrowsAndShrinks() {
    long added = 0;
    long next = 0;
    for (int size = 1; size < 50; size++) {
      for (int i = 0; i < size; i++) {
        queue.add(at(added++));
      }
      assertThat(queue.isEmpty()).isFalse();
      for (int i = 0; i < size - 1; i++) {
        assertThat(taken()).isEqualTo(next++);
      }
    }
    while (next < added) {
      assertThat(taken()).isEqualTo(next++);
    }
    assertThat(queue.isEmpty()).isTrue();
    assertThat(queue.poll()).isNull();
  }

  @Test
  void severalAreAddedAtOnce() {
    long added = 0;
    long next = 0;
    for (int size = 0; size < 20; size++) {
      List<FetchedRecords> some = new ArrayList<>();
      for (int i = 0; i < size + 3; i++) {
        some.add(at(added + i));
      }
      queue.addAll(some, size);
      added += size;
      queue.add(at(added++));
      while (next < added - size / 2) { // some nodes are free again, others are not
        assertThat(taken()).isEqualTo(next++);
      }
    }
    while (next < added) {
      assertThat(taken()).isEqualTo(next++);
    }
    assertThat(queue.isEmpty()).isTrue();
  }

  @Test
  @Timeout(60)
  void twoThreadsPassOnEverythingInOrder() throws InterruptedException {
    Thread owner = Thread.ofPlatform().start(() -> {
      for (int i = 0; i < MANY; i++) {
        if (i % 3 == 0) {
          queue.add(at(i));
        } else if (i % 3 == 1) { // both records at once
          queue.addAll(List.of(at(i), at(i + 1)), 2);
        }
        if (i % 100 == 0) {
          LockSupport.parkNanos(1); // lets either end overtake the other
        }
      }
    });
    for (int next = 0; next < MANY;) {
      long offset = taken();
      if (offset < 0) {
        Thread.onSpinWait();
      } else {
        assertThat(offset).isEqualTo(next++);
      }
    }
    assertThat(owner.join(Duration.ofSeconds(20))).isTrue();
    assertThat(queue.isEmpty()).isTrue();
  }
}
