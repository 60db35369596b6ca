package dev.decant.fix.store;

import static dev.decant.fix.store.StoredMessages.BEGUN;
import static dev.decant.fix.store.StoredMessages.SESSION;
import static dev.decant.fix.store.StoredMessages.numberedTexts;
import static dev.decant.fix.store.StoredMessages.replayed;
import static dev.decant.fix.store.StoredMessages.send;
import static dev.decant.fix.store.StoredMessages.sendNumbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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
}
