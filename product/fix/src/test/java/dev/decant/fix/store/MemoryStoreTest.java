package dev.decant.fix.store;

import static dev.decant.fix.store.StoredMessages.BEGUN;
import static dev.decant.fix.store.StoredMessages.SESSION;
import static dev.decant.fix.store.StoredMessages.numberedTexts;
import static dev.decant.fix.store.StoredMessages.replayed;
import static dev.decant.fix.store.StoredMessages.send;
import static dev.decant.fix.store.StoredMessages.sendNumbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A ring of messages. */
class MemoryStoreTest {
  private static final int RING = 4096;

  @Test
  void newestMessagesStay() throws IOException {
    try (MessageStore store = new MemoryStores(RING).open(SESSION, BEGUN)) {
      for (int i = 0; i < 1000; i++) {
        sendNumbered(store, 1);
        List<String> kept = replayed(store);
        long last = store.nextOutbound() - 1;
        assertThat(kept).isEqualTo(numberedTexts(last - kept.size() + 1, last)).hasSizeGreaterThan(Math.min(i, 30));
      }
    }
  }

  @Test
  void messageAsLargeAsTheRingPushesOutAllOthers() throws IOException {
    try (MessageStore store = new MemoryStores(RING).open(SESSION, BEGUN)) {
      sendNumbered(store, 5);
      send(store, "x".repeat(RING * 3 / 4));
      assertThat(replayed(store)).hasSize(1).first().asString().startsWith("6@").hasSizeGreaterThan(3000);
      sendNumbered(store, 1);
      assertThat(replayed(store)).isEqualTo(numberedTexts(7, 7));
    }
  }

  /** Random sizes and numbers that are set back: what is replayed is the end of what a boundless store has. */
  @Test
  void ringHoldsTheEndOfWhatTheModelHolds() throws IOException {
    long seed = Long.getLong("decant.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    StoreModel model = new StoreModel(BEGUN);
    try (MessageStore store = new MemoryStores(RING).open(SESSION, BEGUN)) {
      for (int step = 0; step < 5000; step++) {
        if (random.nextInt(20) == 0) {
          long number = Math.max(1, model.nextOutbound() + 2 - random.nextInt(20));
          model.setNextOutbound(number, BEGUN);
          store.setNextOutbound(number, BEGUN);
        } else {
          String body = Integer.toString(step).repeat(random.nextInt(100));
          send(model, body);
          send(store, body);
        }
        List<String> kept = replayed(store);
        List<String> all = model.outbound(1, Long.MAX_VALUE);
        assertThat(all).as("seed %d, step %d", seed, step).endsWith(kept.toArray(String[]::new));
        assertThat(store.nextOutbound()).as("seed %d, step %d", seed, step).isEqualTo(model.nextOutbound());
      }
    }
  }

  /** Each session took its 16 MiB when it was opened: 32 GB for 2,000 sessions that had sent nothing. */
  @Test
  void storeTakesMemoryOnlyForItsMessages() throws IOException {
    int sessions = 200;
    List<MessageStore> stores = new ArrayList<>();
    long before = directBytes();
    try {
      for (int i = 0; i < sessions; i++) {
        stores.add(new MemoryStores().open(SESSION, BEGUN));
      }
      assertThat(directBytes() - before).isLessThan(sessions * (32L << 10));
      assertThat(stores.getFirst().status().maxBytes()).isEqualTo(MemoryStores.DEFAULT_RING_BYTES / 4 * 3);
    } finally {
      stores.forEach(MessageStore::close);
    }
  }

  /** Each message was an IndexOutOfBoundsException: the larger ring has less room for messages. */
  @Test
  void ringStaysAsItIsWhereALargerOneHasNoMoreRoom() throws IOException {
    try (MessageStore store = new MemoryStores(250_000, 1 << 20).open(SESSION, BEGUN)) {
      for (int i = 0; i < 4_000; i++) {
        assertThat(send(store, "x".repeat(300))).isTrue();
      }
      assertThat(replayed(store)).hasSizeBetween(2_000, 3_000).last().asString().startsWith("4000@");
    }
  }

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct")).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
  }

  /** Nothing is lost while the ring grows, and a handler's memory stays where it is. */
  @Test
  void ringGrowsUpToItsBoundAndKeepsAllUntilThen() throws IOException {
    long seed = Long.getLong("decant.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    StoreModel model = new StoreModel(BEGUN);
    try (MessageStore store = new MemoryStores(1 << 20).open(SESSION, BEGUN)) {
      long bytes = 0;
      while (bytes < 600_000) {
        int most = random.nextInt(50) == 0 ? 20_000 : 300;
        String body = Integer.toString(random.nextInt(10)).repeat(random.nextInt(most));
        bytes += body.length() + 32;
        if (random.nextInt(50) == 0) {
          long number = Math.max(1, model.nextOutbound() - random.nextInt(5));
          model.setNextOutbound(number, BEGUN);
          store.setNextOutbound(number, BEGUN);
        }
        send(model, body);
        send(store, body);
      }
      assertThat(replayed(store)).as("seed %d", seed).isEqualTo(model.outbound(1, Long.MAX_VALUE));
      send(store, "x".repeat(1 << 19));
      assertThat(store.status().usedBytes()).isLessThanOrEqualTo(store.status().maxBytes());
      assertThat(replayed(store)).as("seed %d", seed).last().asString().hasSizeGreaterThan(1 << 19);
    }
  }
}
