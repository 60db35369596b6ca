package dev.decant.fix.store;

import static dev.decant.fix.store.StoredMessages.arrived;
import static dev.decant.fix.store.StoredMessages.replayed;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random changes have the same result in a store and in the simplest one. */
@Timeout(120)
class StoreModelTest {
  private static final int STEPS = 6000;
  private static final int MAX_BODY = 400;

  private final long seed = Long.getLong("decant.seed", System.nanoTime());
  private final SplittableRandom random = new SplittableRandom(seed);
  private final ByteBuffer body = ByteBuffer.allocateDirect(MAX_BODY);
  private long time = StoredMessages.BEGUN;

  @TempDir
  Path folder;

  @ParameterizedTest
  @EnumSource
  void storeHoldsWhatTheModelHolds(StoreKind kind) throws IOException {
    StoreModel model = new StoreModel(StoredMessages.BEGUN);
    MessageStore store = kind.open(folder);
    try {
      for (int step = 0; step < STEPS; step++) {
        change(store, model);
        if (random.nextInt(50) == 0) {
          compare(step, kind, store, model);
        }
        if (kind.isDurable() && random.nextInt(400) == 0) {
          store.close();
          store = kind.open(folder);
          compare(step, kind, store, model);
        }
      }
      compare(STEPS, kind, store, model);
    } finally {
      store.close();
    }
  }

  private void change(MessageStore store, StoreModel model) {
    time += random.nextInt(1000);
    int choice = random.nextInt(1000);
    if (choice < 600) {
      int from = random.nextInt(10);
      int to = from + random.nextInt(MAX_BODY - 10);
      fill(from, to);
      model.appendOutbound(model.nextOutbound(), time, body, from, to);
      assertThat(store.appendOutbound(store.nextOutbound(), time, body, from, to)).as("seed %d", seed).isTrue();
    } else if (choice < 950) {
      int to = random.nextInt(MAX_BODY);
      fill(0, to);
      model.appendInbound(model.nextInbound(), time, body, 0, to);
      assertThat(store.appendInbound(store.nextInbound(), time, body, 0, to)).as("seed %d", seed).isTrue();
    } else if (choice < 970) {
      long number = random.nextBoolean()
          ? model.nextOutbound() + random.nextInt(5)
          : Math.max(1, model.nextOutbound() - random.nextInt(30));
      model.setNextOutbound(number, time);
      assertThat(store.setNextOutbound(number, time)).as("seed %d", seed).isTrue();
    } else if (choice < 988) {
      long number = Math.max(1, model.nextInbound() + random.nextInt(20) - 10);
      model.setNextInbound(number, time);
      assertThat(store.setNextInbound(number, time)).as("seed %d", seed).isTrue();
    } else if (choice < 998) {
      assertThat(store.commit()).as("seed %d", seed).isTrue();
    } else {
      model.reset(time);
      assertThat(store.reset(time)).as("seed %d", seed).isTrue();
    }
  }

  private void fill(int from, int to) {
    for (int i = from; i < to; i++) {
      body.put(i, (byte) (' ' + random.nextInt(90)));
    }
  }

  private void compare(int step, StoreKind kind, MessageStore store, StoreModel model) throws IOException {
    String when = "seed " + seed + ", step " + step;
    assertThat(store.nextOutbound()).as(when).isEqualTo(model.nextOutbound());
    assertThat(store.nextInbound()).as(when).isEqualTo(model.nextInbound());
    assertThat(store.createdEpochNanos()).as(when).isEqualTo(model.createdEpochNanos());
    long from = 1 + random.nextLong(model.nextOutbound());
    long to = from + random.nextInt(100);
    assertThat(replayed(store, from, to)).as(when).isEqualTo(model.outbound(from, to));
    if (random.nextInt(10) == 0) {
      assertThat(replayed(store)).as(when).isEqualTo(model.outbound(1, Long.MAX_VALUE));
    }
    if (kind.isDurable() && random.nextInt(5) == 0) {
      assertThat(arrived(store)).as(when).isEqualTo(model.arrived());
    }
  }
}
