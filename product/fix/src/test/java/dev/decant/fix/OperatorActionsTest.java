package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.FileStores;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Each action of an operator on a session has an outcome, whatever happens to the engine. */
@Timeout(60)
@SuppressWarnings("FutureReturnValueIgnored") // of actions whose effect is looked at
class OperatorActionsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final SessionId SERVER = SessionId.of(TwoEngines.VERSION, "SERVER", "CLIENT");
  private static final SessionId CLIENT = SessionId.of(TwoEngines.VERSION, "CLIENT", "SERVER");

  @TempDir
  Path folder;

  private final FixEngine serverEngine = FixEngine.builder().name("server").start();
  private final FixEngine clientEngine = FixEngine.builder().name("client").start();

  @AfterEach
  void close() {
    clientEngine.close();
    serverEngine.close();
  }

  private FixSession connect(Application application) throws IOException, InterruptedException {
    FixAcceptor acceptor = serverEngine
        .acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), (session, message) -> {})
        .session(SessionSettings.of(SERVER).build()).open();
    FixSession session = clientEngine.initiator(SessionSettings.of(CLIENT).build(), application)
        .host("localhost", acceptor.localAddress().getPort())
        .reconnectDelay(Duration.ofMillis(10), Duration.ofMillis(50))
        .store(FileStores.builder(folder).build()).open();
    assertThat(session.awaitLogon(PATIENCE)).isTrue();
    return session;
  }

  private static <T> T outcome(CompletableFuture<T> future) throws Exception {
    return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Test
  void numbersAreThereWhenTheOutcomeIs() throws Exception {
    FixSession session = connect((from, message) -> {});
    assertThat(outcome(session.logout(""))).isEqualTo("logged out");
    assertThat(outcome(session.logout("again"))).isEqualTo("not connected");

    outcome(session.setNextOutbound(70));
    assertThat(session.nextOutbound()).isEqualTo(70);
    outcome(session.setNextInbound(71));
    assertThat(session.nextInbound()).isEqualTo(71);
    outcome(session.resetSequenceNumbers());
    assertThat(session.nextOutbound()).isEqualTo(1);
    assertThat(session.nextInbound()).isEqualTo(1);
  }

  /** An outcome came before its number: whoever it woke still read the number of before. */
  @Test
  void whoeverAnOutcomeWakesReadsItsNumber() throws Exception {
    FixSession session = connect((from, message) -> {});
    assertThat(outcome(session.logout(""))).isEqualTo("logged out");

    assertThat(read(session::nextInbound, () -> session.setNextInbound(71))).isEqualTo(71);
    assertThat(read(session::nextOutbound, () -> session.setNextOutbound(70))).isEqualTo(70);
    assertThat(read(session::nextInbound, session::resetSequenceNumbers)).isEqualTo(1);
    session.logon();
    assertThat(session.awaitLogon(PATIENCE)).isTrue();
    assertThat(read(session::nextInbound, session::resetSequenceNumbers)).isEqualTo(1);
  }

  /** Reads a number in the moment of an action's outcome: the loop begins the action only after the reader is there. */
  private <T> long read(LongSupplier number, Supplier<CompletableFuture<T>> action) throws Exception {
    CountDownLatch isThere = new CountDownLatch(1);
    clientEngine.loops()[0].loop().execute(() -> awaitUninterruptibly(isThere));
    CompletableFuture<Long> seen = action.get().thenApply(done -> number.getAsLong());
    isThere.countDown();
    return outcome(seen);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void resetOfAConnectedSessionIsDoneAfterTheNextLogon() throws Exception {
    CountDownLatch isReset = new CountDownLatch(1);
    FixSession session = connect(new Application() {
      @Override
      public void onMessage(FixSession from, MessageView message) {}

      @Override
      public void onMessageSent(FixSession from, MessageView message) {
        if (message.flag(Tag.RESET_SEQ_NUM_FLAG, false)) {
          isReset.countDown();
        }
      }
    });

    outcome(session.resetSequenceNumbers());
    assertThat(isReset.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(session.awaitLogon(PATIENCE)).isTrue();
    assertThat(session.nextOutbound()).isEqualTo(2);
  }

  @Test
  void engineThatClosesFailsWhatIsLeft() throws Exception {
    FixSession session = connect((from, message) -> {});
    assertThat(outcome(session.logout(""))).isEqualTo("logged out");
    clientEngine.close();

    for (CompletableFuture<?> late : new CompletableFuture<?>[] {session.setNextInbound(5), session.setNextOutbound(5),
        session.resetSequenceNumbers(), session.logout("")}) {
      assertThatThrownBy(() -> outcome(late)).isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(IllegalStateException.class).hasMessageContaining("the engine is closed");
    }
    assertThat(session.newMessage().begin("D")).isEqualTo(SendStatus.LOGGED_OUT);
  }
}
