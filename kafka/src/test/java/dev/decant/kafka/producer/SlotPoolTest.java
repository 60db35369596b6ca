package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SlotPoolTest {
  private static final int THREADS = 4;
  private static final int ROUNDS = 20_000;

  private final AtomicInteger made = new AtomicInteger();
  private final SlotPool<AtomicInteger> pool = new SlotPool<>(2, () -> {
    made.incrementAndGet();
    return new AtomicInteger();
  });

  @Test
  void threadGetsItsOwnHelperEachTime() {
    AtomicInteger first = pool.take();
    pool.give(first);
    assertThat(pool.take()).isSameAs(first);
  }

  @Test
  void helperThatIsTakenIsNotGivenTwice() {
    Set<AtomicInteger> out = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < 5; i++) {
      assertThat(out.add(pool.take())).isTrue();
    }
    out.forEach(pool::give);
    int before = made.get();
    AtomicInteger own = pool.take();
    AtomicInteger shared = pool.take();
    assertThat(out).contains(own, shared);
    assertThat(made).as("both slots had kept theirs").hasValue(before);
  }

  @Test
  void nobodySharesAHelperWithAnother() throws InterruptedException {
    AtomicInteger shared = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      Thread.Builder builder = t % 2 == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
      threads.add(builder.start(() -> {
        for (int i = 0; i < ROUNDS; i++) {
          AtomicInteger helper = pool.take();
          if (helper.incrementAndGet() != 1) {
            shared.incrementAndGet();
          }
          helper.decrementAndGet();
          pool.give(helper);
        }
      }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(shared).hasValue(0);
  }
}
