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

  /** Knows by how many threads it is used. */
  private static final class Helper extends FreeList.Node {
    private final AtomicInteger users = new AtomicInteger();
  }

  private final AtomicInteger made = new AtomicInteger();
  private final SlotPool<Helper> pool = new SlotPool<>(2, () -> {
    made.incrementAndGet();
    return new Helper();
  });

  @Test
  void threadGetsItsOwnHelperEachTime() {
    Helper first = pool.take();
    pool.give(first);
    assertThat(pool.take()).isSameAs(first);
  }

  @Test
  void helperThatIsTakenIsNotGivenTwice() {
    Set<Helper> out = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < 5; i++) {
      assertThat(out.add(pool.take())).isTrue();
    }
    out.forEach(pool::give);
    int before = made.get();
    for (int i = 0; i < 5; i++) {
      assertThat(out).contains(pool.take());
    }
    assertThat(made).as("each was kept").hasValue(before);
  }

  @Test
  void nobodySharesAHelperWithAnother() throws InterruptedException {
    AtomicInteger shared = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      Thread.Builder builder = t % 2 == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
      threads.add(builder.start(() -> {
        for (int i = 0; i < ROUNDS; i++) {
          Helper helper = pool.take();
          if (helper.users.incrementAndGet() != 1) {
            shared.incrementAndGet();
          }
          helper.users.decrementAndGet();
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
