package dev.decant.fix.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that is killed at any moment loses no change that its store has accepted. {@code -Plong} kills {@value
 * #LONG_ROUNDS} of them, {@code -Dcrash.rounds=N} another number.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class KilledStoreTest {
  private static final int ROUNDS = 10;
  private static final int LONG_ROUNDS = 200;
  private static final int ROUNDS_PER_FOLDER = 10;
  private static final int MOST_CHANGES_BITS = 15;

  private final long seed = Long.getLong("decant.seed", System.nanoTime());
  private final SplittableRandom random = new SplittableRandom(seed);
  private long toldOutbound;
  private long toldInbound;

  @TempDir
  Path folder;

  @Test
  void acceptedMessagesAreReplayedAndNumbersDoNotGoBack() throws Exception {
    killAgainAndAgain(ROUNDS);
  }

  @Tag("long")
  @Test
  void acceptedMessagesAreReplayedAfterManyKills() throws Exception {
    killAgainAndAgain(LONG_ROUNDS);
  }

  private void killAgainAndAgain(int roundsByDefault) throws Exception {
    int rounds = Integer.getInteger("crash.rounds", roundsByDefault);
    for (int round = 0; round < rounds; round++) {
      StoreKind kind = round % 2 == 0 ? StoreKind.FILE : StoreKind.ASYNC;
      boolean isForced = random.nextInt(4) == 0;
      if (round % ROUNDS_PER_FOLDER == 0) {
        toldOutbound = 0;
        toldInbound = 0;
      }
      Path stores = folder.resolve("stores-" + round / ROUNDS_PER_FOLDER);
      String when = "seed " + seed + ", round " + round + ", " + kind + (isForced ? ", forced" : "");
      runAndKill(kind, isForced, stores, when);
      check(random.nextBoolean() ? StoreKind.FILE : StoreKind.ASYNC, stores, when);
    }
  }

  private void runAndKill(StoreKind kind, boolean isForced, Path stores, String when) throws Exception {
    Path errors = folder.resolve("errors");
    Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m",
        "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), KilledProcess.class.getName(),
        kind.name(), String.valueOf(isForced), stores.toString()).redirectError(errors.toFile()).start();
    int changes = 1 + random.nextInt(1 << random.nextInt(isForced ? MOST_CHANGES_BITS / 2 : MOST_CHANGES_BITS));
    long before = toldOutbound + toldInbound;
    try (DataInputStream pipe = new DataInputStream(process.getInputStream())) {
      // the handle leaves the pipe open: what it holds was accepted, too
      for (int i = 0; readTold(pipe); i++) {
        if (i == changes) {
          process.toHandle().destroyForcibly();
        }
      }
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).as(when).isTrue();
    assertThat(toldOutbound + toldInbound).as(() -> when + ": " + text(errors)).isGreaterThan(before + changes);
  }

  private static String text(Path errors) {
    try {
      return Files.readString(errors);
    } catch (IOException e) {
      return e.toString();
    }
  }

  private boolean readTold(DataInputStream pipe) throws IOException {
    try {
      byte kind = pipe.readByte();
      long number = pipe.readLong();
      if (kind == KilledProcess.OUTBOUND) {
        toldOutbound = number;
      } else {
        toldInbound = number;
      }
      return true;
    } catch (EOFException e) {
      return false;
    }
  }

  private void check(StoreKind kind, Path stores, String when) throws IOException {
    try (MessageStore store = KilledProcess.open(kind.name(), false, stores)) {
      // one change can have been accepted and not told
      assertThat(store.nextOutbound() - 1).as(when).isBetween(toldOutbound, toldOutbound + 1);
      assertThat(store.nextInbound() - 1).as(when).isBetween(toldInbound, toldInbound + 1);
      Expected outbound = new Expected(when);
      store.replayOutbound(1, Long.MAX_VALUE, outbound);
      assertThat(outbound.last).as(when).isEqualTo(store.nextOutbound() - 1);
      Expected inbound = new Expected(when);
      store.replayInbound(1, Long.MAX_VALUE, inbound);
      assertThat(inbound.last).as(when).isEqualTo(store.nextInbound() - 1);
      toldOutbound = outbound.last;
      toldInbound = inbound.last;
    }
  }

  /** Each number once, in order, with its bytes. */
  private static final class Expected implements MessageStore.Replay {
    private final String when;
    private long last;

    Expected(String when) {
      this.when = when;
    }

    @Override
    public boolean onMessage(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
      String expected = StoredMessages.text(number, number, KilledProcess.body(number));
      if (number != ++last || !StoredMessages.text(number, epochNanos, buffer, from, to).equals(expected)) {
        throw new AssertionError(when + ": number " + number + " after " + (last - 1));
      }
      return true;
    }
  }
}
