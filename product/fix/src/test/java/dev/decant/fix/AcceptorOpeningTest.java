package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.FileStores;
import dev.decant.fix.store.MessageStoreFactory;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An acceptor is open with all of its sessions, or not at all; and an engine that is closed has no connection left. */
@Timeout(60)
class AcceptorOpeningTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
  private static final int SESSIONS = 4;
  private static final SessionId OTHER = SessionId.of("FIX.4.4", "SERVER", "OTHER");

  @TempDir
  Path folder;

  private static SessionId id(int number) {
    return SessionId.of("FIX.4.4", "SERVER", "CLIENT" + number);
  }

  private static AcceptorBuilder acceptor(FixEngine engine, int port, MessageStoreFactory stores) {
    AcceptorBuilder builder = engine.acceptor(new InetSocketAddress(LOOPBACK, port), (session, message) -> {})
        .store(stores);
    for (int i = 0; i < SESSIONS; i++) {
      builder.session(SessionSettings.of(id(i)).build());
    }
    return builder;
  }

  private MessageStoreFactory files() {
    return FileStores.builder(folder).segmentBytes(1 << 16).build();
  }

  /** The port was bound first: a configured counterparty was told that there is no session for it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void nobodyCanConnectBeforeAllSessionsAreThere(int loops) throws Exception {
    try (ReservedPort reserved = new ReservedPort()) {
      nobodyCanConnectBeforeAllSessionsAreThere(loops, reserved.number());
    }
  }

  private void nobodyCanConnectBeforeAllSessionsAreThere(int loops, int port) throws Exception {
    List<String> early = new CopyOnWriteArrayList<>();
    MessageStoreFactory stores = (id, epochNanos) -> {
      try (Socket socket = new Socket(LOOPBACK, port)) {
        early.add(id + " is opened while " + socket + " can connect");
      } catch (ConnectException e) {
        // nobody listens
      }
      return files().open(id, epochNanos);
    };
    try (FixEngine engine = FixEngine.builder().loops(loops).start();
        FixAcceptor acceptor = acceptor(engine, port, stores)
            .template(SessionId.of("FIX.4.4", "*", "*"), id -> SessionSettings.of(id).build()).open()) {
      assertThat(early).isEmpty();
      for (int i = 0; i < SESSIONS; i++) {
        try (RawClient client = new RawClient(port, "CLIENT" + i)) {
          client.logon(1, "");
          assertThat(client.read()).contains("|35=A|34=1|");
        }
      }
      assertThat(acceptor.unknownLogons()).isZero();
      assertThat(engine.sessions()).hasSize(SESSIONS);
    }
  }

  /** Sessions that were opened before the one that failed stayed, with their stores locked. */
  @Test
  void acceptorThatCannotBeOpenedLeavesNothing() throws Exception {
    MessageStoreFactory lastFails = (id, epochNanos) -> {
      if (id.equals(id(SESSIONS - 1))) {
        throw new IOException("the disk is broken");
      }
      return files().open(id, epochNanos);
    };
    try (FixEngine engine = FixEngine.builder().loops(2).start();
        ServerSocket taken = new ServerSocket(0, 1, LOOPBACK)) {
      assertThatThrownBy(() -> acceptor(engine, 0, lastFails).open()).hasMessageContaining("the disk is broken");
      assertThat(engine.sessions()).isEmpty();
      assertThatThrownBy(() -> acceptor(engine, taken.getLocalPort(), files()).open())
          .hasMessageContaining("cannot listen on");
      assertThat(engine.sessions()).isEmpty();
      try (FixAcceptor acceptor = acceptor(engine, 0, files()).open()) {
        assertThat(engine.sessions()).hasSize(SESSIONS);
        assertThat(List.of(engine.loops())).extracting(home -> home.sessions().get()).containsExactly(2, 2);
        assertThat(acceptor.session(id(0)).isConnected()).isFalse();
      }
    }
  }

  /** Nobody watched the connection between two loops: its socket stayed open for as long as the process ran. */
  @Test
  void connectionOnItsWayToAnotherLoopIsClosedWithTheEngine() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    Authenticator mapper = new Authenticator() {
      @Override
      public @Nullable SessionSettings newSession(SessionId id, MessageView logon, Peer peer) {
        asked.countDown();
        try {
          gate.await();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
        return SessionSettings.of(OTHER).build();
      }
    };
    FixEngine engine = FixEngine.builder().name("closes").loops(2).loopOf(id -> 0).start();
    FixAcceptor first = acceptor(engine, 0, files()).open(); // takes the first loop
    FixAcceptor acceptor = engine.acceptor(new InetSocketAddress(LOOPBACK, 0), (session, message) -> {})
        .session(SessionSettings.of(OTHER).build()).authenticator(mapper).open();
    assertThat(acceptor.home()).isNotEqualTo(first.home());
    try (RawClient client = new RawClient(acceptor.localAddress().getPort(), "ALIAS")) {
      client.logon(1, "");
      assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
      Thread closer = Thread.ofPlatform().start(() -> engine.close(Duration.ZERO));
      awaitEnd("closes-0");
      gate.countDown(); // the connection leaves for a loop that has ended
      closer.join();
      assertThat(client.read()).isEmpty();
    }
  }

  /** The loop that would have closed the port had ended: it was bound for as long as the process ran. */
  @Test
  void engineThatIsClosedWhileAnAcceptorOpensItsStoresBindsNoPort() throws Exception {
    FixEngine engine = FixEngine.builder().loops(2).start();
    MessageStoreFactory closing = (id, epochNanos) -> {
      if (id.equals(id(SESSIONS - 1))) {
        engine.close();
      }
      return files().open(id, epochNanos);
    };
    try (ReservedPort reserved = new ReservedPort()) {
      assertThatThrownBy(() -> acceptor(engine, reserved.number(), closing).open())
          .isInstanceOf(IllegalStateException.class).hasMessageContaining("the engine is closed");
      assertThatThrownBy(() -> new Socket(LOOPBACK, reserved.number())).isInstanceOf(ConnectException.class);
    }
    assertThat(engine.sessions()).isEmpty();
  }

  private static void awaitEnd(String thread) {
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (Thread.getAllStackTraces().keySet().stream().anyMatch(other -> other.getName().equals(thread))) {
      assertThat(deadline - System.nanoTime()).as("time for the end of " + thread).isPositive();
      LockSupport.parkNanos(1_000_000);
    }
  }
}
