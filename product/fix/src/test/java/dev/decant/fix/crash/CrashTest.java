package dev.decant.fix.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.Application;
import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.event.SessionListener;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.AsyncFileStores;
import dev.decant.fix.store.FileStores;
import dev.decant.fix.store.MessageStoreFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An engine under load is killed at random moments, and started again with the content of its store. The counterparty
 * records all messages: numbers never decrease, and a resent message has the same content.
 *
 * <p>{@code -Plong} kills it {@value #LONG_ROUNDS} times per store, {@code -Dcrash.rounds=N} that often; {@code
 * -Dcrash.seed=N} repeats the moments of a run.
 */
@Timeout(1800)
@SuppressWarnings("FutureReturnValueIgnored") // of actions whose effect is looked at
class CrashTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int ROUNDS = 10;
  private static final int LONG_ROUNDS = 200;
  private static final int ASKED_AGAIN = 300;
  /** Number of the last orders that are remembered: all would take too much memory. Older ones must not come again. */
  private static final int REMEMBERED = 200_000;
  private static final SessionId SINK = SessionId.of("FIX.4.4", "SINK", "SOURCE");

  @TempDir
  Path folder;

  static MessageStoreFactory stores(String kind, Path folder) {
    FileStores files = FileStores.builder(folder).segmentBytes(1 << 20).build();
    return switch (kind) {
      case "file" -> files;
      case "async" -> AsyncFileStores.builder(files).build();
      default -> throw new IllegalArgumentException("no store " + kind);
    };
  }

  /** The counterparty: remembers the last orders, and compares those that come again. Owner of its loop only. */
  private static final class Oracle implements Application, SessionListener {
    private final Map<Long, String> orders = new HashMap<>();
    private final List<String> violations = new ArrayList<>();
    private long last;
    private volatile long count;
    private volatile long again;

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // by the owner of the loop
    public void onMessage(FixSession session, MessageView message) {
      long number = message.integer(Tag.MSG_SEQ_NUM);
      String order = message.string(11) + '/' + message.string(38);
      if (number <= last - REMEMBERED) {
        violations.add(number + " came again after " + last);
        return;
      }
      String before = orders.putIfAbsent(number, order);
      orders.remove(number - REMEMBERED);
      boolean possDup = message.flag(Tag.POSS_DUP_FLAG, false);
      if (before != null) {
        again++;
        if (!before.equals(order)) {
          violations.add(number + " was " + before + " and came again as " + order);
        } else if (!possDup) {
          violations.add(number + " came again without PossDupFlag");
        }
      }
      last = Math.max(last, number);
      count++;
    }

    @Override
    public void onDisconnect(SessionId session, String reason) {
      if (reason.contains("too low")) {
        violations.add(reason);
      }
    }
  }

  @org.junit.jupiter.api.Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"file", "async"})
  void killedEngineGoesOnWhereItWas(String kind) throws IOException, InterruptedException {
    killAgainAndAgain(kind, ROUNDS);
  }

  @org.junit.jupiter.api.Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"file", "async"})
  void engineThatIsKilledManyTimesGoesOnWhereItWas(String kind) throws IOException, InterruptedException {
    killAgainAndAgain(kind, LONG_ROUNDS);
  }

  private void killAgainAndAgain(String kind, int roundsByDefault) throws IOException, InterruptedException {
    int rounds = Integer.getInteger("crash.rounds", roundsByDefault);
    long seed = Long.getLong("crash.seed", System.nanoTime());
    System.out.println("crash.seed=" + seed);
    Random random = new Random(seed);
    Oracle oracle = new Oracle();
    try (FixEngine engine = FixEngine.builder().name("sink").start();
        FixAcceptor acceptor = engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), oracle)
            .session(SessionSettings.of(SINK).build()).open()) {
      engine.listen(oracle);
      FixSession session = acceptor.session(SINK);
      long askedAgain = 0;
      for (int round = 0; round < rounds; round++) {
        long countBefore = oracle.count;
        Process source = start(acceptor.localAddress().getPort(), kind, round);
        try {
          assertThat(engine.waitUntil(() -> oracle.count > countBefore + ASKED_AGAIN, PATIENCE))
              .as("orders of round %d; violations %s", round, oracle.violations).isTrue();
          assertThat(source.waitFor(random.nextInt(300), TimeUnit.MILLISECONDS)).as("ended by itself").isFalse();
        } finally {
          source.destroyForcibly().waitFor();
        }
        assertThat(engine.waitUntil(() -> !session.isLoggedOn(), PATIENCE)).isTrue();
        assertThat(oracle.violations).isEmpty();
        assertThat(oracle.again).as("came again in round %d", round).isGreaterThanOrEqualTo(askedAgain);
        // As if the counterparty had lost them: the next logon shows a gap, and they are asked for.
        session.setNextInbound(Math.max(1, session.nextInbound() - ASKED_AGAIN));
        askedAgain = oracle.again + ASKED_AGAIN - 10; // some are messages of the session layer
      }
    }
  }

  private Process start(int port, String kind, int round) throws IOException {
    return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m",
        "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), OrderSource.class.getName(),
        Integer.toString(port), kind, folder.resolve(kind).toString(), "R" + round + "-")
        .redirectError(ProcessBuilder.Redirect.INHERIT).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
  }
}
