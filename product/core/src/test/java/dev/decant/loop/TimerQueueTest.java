package dev.decant.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TimerQueueTest {
  private final TimerQueue queue = new TimerQueue();
  private final List<Integer> fired = new ArrayList<>();

  private Timer timer(int name) {
    return new Timer(() -> fired.add(name));
  }

  @Test
  void timersFireInTheOrderOfTheirDeadlinesAndOnce() {
    queue.schedule(timer(3), 300);
    queue.schedule(timer(1), 100);
    queue.schedule(timer(2), 200);

    queue.fire(250);
    queue.fire(250);

    assertThat(fired).containsExactly(1, 2);
    assertThat(queue.nanosUntilNext(250)).isEqualTo(50);
  }

  @Test
  void cancelledAndMovedTimersAreHonoured() {
    Timer cancelled = timer(1);
    Timer moved = timer(2);
    queue.schedule(cancelled, 10);
    queue.schedule(moved, 20);
    queue.cancel(cancelled);
    queue.schedule(moved, 500);

    queue.fire(100);

    assertThat(fired).isEmpty();
    assertThat(cancelled.isScheduled()).isFalse();
    assertThat(moved.isScheduled()).isTrue();
  }

  @Test
  void deadlinesBeyondTheOverflowOfTheClockAreLater() {
    queue.schedule(timer(2), Long.MIN_VALUE + 5);
    queue.schedule(timer(1), Long.MAX_VALUE - 5);

    queue.fire(Long.MAX_VALUE);

    assertThat(fired).containsExactly(1);
  }

  @Test
  void randomOperationsAgreeWithASortedMap() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    TreeMap<Long, Integer> expected = new TreeMap<>();
    List<Timer> timers = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      timers.add(timer(i));
    }
    for (int step = 0; step < 5_000; step++) {
      int name = random.nextInt(timers.size());
      expected.values().remove(name);
      if (random.nextInt(4) == 0) {
        queue.cancel(timers.get(name));
      } else {
        long deadline = random.nextLong(1_000_000) * 1_000 + name;
        expected.put(deadline, name);
        queue.schedule(timers.get(name), deadline);
      }
    }
    queue.fire(Long.MAX_VALUE / 2);

    assertThat(fired).as("seed %d", seed).containsExactlyElementsOf(expected.values());
    assertThat(queue.isEmpty()).isTrue();
  }
}
