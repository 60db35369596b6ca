package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.message.MsgType;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.SessionSettingsBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * More virtual threads wait for an engine than the scheduler has carriers, and another one still runs. On Java 21 they
 * once waited in a monitor and kept their carriers: nothing else ran until they timed out.
 */
@Timeout(60)
class VirtualThreadsTest {
  /** The scheduler has 256 carriers at most. */
  private static final int WAITERS = 300;
  private static final int BODY_BYTES = 4_000;
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final SessionId SERVER = SessionId.of("FIX.4.4", "SERVER", "CLIENT");
  private static final SessionId CLIENT = SessionId.of("FIX.4.4", "CLIENT", "SERVER");

  private final FixEngine serverEngine = FixEngine.builder().name("server").start();
  private final FixEngine clientEngine = FixEngine.builder().name("client").start();
  private final CountDownLatch started = new CountDownLatch(WAITERS);
  private final CountDownLatch ended = new CountDownLatch(WAITERS);
  /** The server's application handles messages from then on. */
  private final CountDownLatch opened = new CountDownLatch(1);
  private volatile long handled;

  @AfterEach
  void close() {
    opened.countDown();
    clientEngine.close();
    serverEngine.close();
  }

  private interface Wait {
    boolean run() throws InterruptedException;
  }

  private void startWaiters(Wait wait) {
    for (int i = 0; i < WAITERS; i++) {
      Thread.startVirtualThread(() -> {
        started.countDown();
        try {
          if (wait.run()) {
            ended.countDown();
          }
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      });
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // by the owner of the loop
  private void handle() {
    try {
      assertThat(opened.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    handled++;
  }

  private FixSession connect(SessionSettingsBuilder settings) throws Exception {
    FixAcceptor acceptor = serverEngine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        (session, message) -> handle()).session(SessionSettings.of(SERVER).build()).open();
    FixSession session = clientEngine.initiator(settings.build(), (from, message) -> {})
        .host("localhost", acceptor.localAddress().getPort()).open();
    assertThat(session.awaitLogon(PATIENCE)).isTrue();
    return session;
  }

  private static boolean send(FixSession session) {
    OutboundMessage order = session.newMessage();
    if (order.begin(MsgType.key("D"), BODY_BYTES + 100) != SendStatus.OK) {
      return false;
    }
    order.text(58, "x".repeat(BODY_BYTES));
    order.send();
    return true;
  }

  @Test
  void threadsThatWaitForACallbackKeepNoCarrier() throws Exception {
    FixSession session = connect(SessionSettings.of(CLIENT));
    opened.countDown();
    BooleanSupplier isHandled = () -> handled > 0;
    startWaiters(() -> serverEngine.waitUntil(isHandled, PATIENCE));
    assertThat(started.await(10, TimeUnit.SECONDS)).as("%s have not begun", started).isTrue();

    Thread.startVirtualThread(() -> send(session));

    assertThat(ended.await(10, TimeUnit.SECONDS)).as("%s still wait", ended).isTrue();
  }

  @Test
  void threadsThatWaitForRoomKeepNoCarrier() throws Exception {
    FixSession session = connect(SessionSettings.of(CLIENT).ringBytes(1 << 14).outputBytes(1 << 14)
        .maxMessageBytes(1 << 13).sendTimeout(PATIENCE));
    List<Boolean> sent = new ArrayList<>();
    Thread filler = Thread.ofPlatform().start(() -> {
      while (opened.getCount() > 0) {
        sent.add(send(session));
      }
    });
    awaitFull(filler);
    startWaiters(() -> send(session));
    assertThat(started.await(10, TimeUnit.SECONDS)).as("%s have not begun", started).isTrue();

    Thread.startVirtualThread(opened::countDown);

    assertThat(ended.await(10, TimeUnit.SECONDS)).as("%s still wait", ended).isTrue();
    assertThat(filler.join(PATIENCE)).isTrue();
    assertThat(sent).doesNotContain(false);
  }

  /** Waits until a sender waits for room. */
  private static void awaitFull(Thread sender) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (sender.getState() != Thread.State.TIMED_WAITING) {
      assertThat(System.nanoTime() - deadline).as("the buffers are not full in time").isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }
}
