package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waits that are used again. */
@Timeout(60)
class FreeListTest {
  private static final int THREADS = 4;
  private static final int ROUNDS = 20_000;

  private final EventLoop loop = EventLoop.start("free-list", Clock.system());
  private final FreeList<PendingAck> acks = new FreeList<>(() -> new PendingAck(loop));

  @AfterEach
  void close() {
    loop.close();
  }

  private Set<PendingAck> take(int count) {
    Set<PendingAck> taken = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < count; i++) {
      assertThat(taken.add(acks.take())).as("not taken by anybody else").isTrue();
    }
    return taken;
  }

  @Test
  void asManyAsWereTakenAtOnceAreUsedAgain() {
    Set<PendingAck> first = take(1000);
    first.forEach(acks::give);
    Set<PendingAck> second = take(1000);
    assertThat(first.containsAll(second)).isTrue();
  }

  @Test
  void lastOneGivenBackIsTakenFirst() {
    PendingAck one = acks.take();
    PendingAck other = acks.take();
    acks.give(one);
    acks.give(other);
    assertThat(acks.take()).isSameAs(other);
    assertThat(acks.take()).isSameAs(one);
  }

  @Test
  void oneThatIsStillUsedIsReplaced() {
    PendingAck lost = acks.take();
    acks.replace(lost);
    PendingAck next = acks.take();
    assertThat(next).isNotSameAs(lost);
    acks.give(next);
    assertThat(acks.take()).isSameAs(next);
  }

  @Test
  void beyondTheMostTheyAreMadeForOneUse() {
    Set<PendingAck> taken = take(1 << 14);
    PendingAck more = acks.take();
    assertThat(taken).doesNotContain(more);
    acks.give(more);
    acks.replace(more);
    assertThat(acks.take()).isNotSameAs(more);
  }

  @Test
  void nobodySharesOneWithAnother() throws InterruptedException {
    Set<PendingAck> out = ConcurrentHashMap.newKeySet();
    AtomicInteger shared = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      Thread.Builder builder = t % 2 == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
      threads.add(builder.start(() -> {
        for (int i = 0; i < ROUNDS; i++) {
          PendingAck one = acks.take();
          PendingAck other = acks.take();
          if (!out.add(one) || !out.add(other)) {
            shared.incrementAndGet();
          }
          out.remove(one);
          out.remove(other);
          acks.give(one);
          if (i % 100 == 0) {
            acks.replace(other);
          } else {
            acks.give(other);
          }
        }
      }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(shared).hasValue(0);
  }
}
