package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.MemoryStores;
import dev.decant.fix.store.MessageStore;
import dev.decant.fix.store.MessageStoreFactory;
import dev.decant.net.SocketTransport;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An engine is closed while acceptors are opened, counterparties connect, and connections move between loops. In any
 * order of these events, nothing hangs, no port stays bound, and each connection and store is closed.
 */
@Timeout(60)
class EngineClosingTest {
  private static final int ROUNDS = Integer.getInteger("closing.rounds", 60);
  private static final int LONGEST_WAIT_NANOS = 1_500_000;
  private static final int CLIENTS = 4;

  private final long seed = Long.getLong("closing.seed", System.nanoTime());

  /** One engine, from its start to its end. */
  private static final class Round {
    private final Random random;
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger openStores = new AtomicInteger();
    private final FixEngine engine;
    private final int loops;

    Round(long seed) {
      random = new Random(seed);
      loops = 1 + random.nextInt(3);
      engine = FixEngine.builder().loops(loops).loopOf(id -> Math.floorMod(id.hashCode(), loops)).start();
    }

    private MessageStoreFactory counted() {
      MessageStoreFactory memory = new MemoryStores(1 << 16);
      return (id, epochNanos) -> {
        MessageStore store = memory.open(id, epochNanos);
        openStores.incrementAndGet();
        return (MessageStore) Proxy.newProxyInstance(MessageStore.class.getClassLoader(),
            new Class<?>[] {MessageStore.class}, (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                openStores.decrementAndGet();
              }
              return method.invoke(store, arguments);
            });
      };
    }

    private Thread start(String name, Step step) {
      int wait = random.nextInt(LONGEST_WAIT_NANOS);
      return Thread.ofPlatform().name(name).start(() -> {
        LockSupport.parkNanos(wait);
        try {
          step.run();
        } catch (Throwable e) {
          failures.add(e);
        }
      });
    }

    private void open(int port, int kind) throws IOException {
      AcceptorBuilder builder = engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
          (session, message) -> {}).store(counted());
      SessionId any = SessionId.of("FIX.4.4", "SERVER", "*");
      switch (kind) {
        case 0 -> {
          for (int i = 0; i < CLIENTS; i++) {
            builder.session(SessionSettings.of(SessionId.of("FIX.4.4", "SERVER", "CLIENT" + i)).build());
          }
        }
        case 1 -> builder.template(any, id -> SessionSettings.of(id).build());
        default -> builder.lookup((id, logon, peer) -> SessionSettings.of(id).build(), Duration.ofSeconds(10));
      }
      try {
        FixAcceptor unused = builder.open();
      } catch (IllegalStateException e) {
        assertThat(e).hasMessageContaining("the engine is closed");
      }
    }

    /** Logs on, and waits for the end of the connection. */
    private static void connect(int port, int number) throws IOException {
      try (RawClient client = new RawClient(port, "CLIENT" + number)) {
        client.logon(1, "");
        String message = client.read();
        while (!message.isEmpty()) {
          message = client.read();
        }
      } catch (SocketTimeoutException e) {
        throw new AssertionError("the connection of client " + number + " is still open", e);
      } catch (IOException e) {
        // refused, or reset
      }
    }

    void run() throws Exception {
      try (ReservedPort reserved = new ReservedPort()) {
        int port = reserved.number();
        List<Thread> steps = new ArrayList<>();
        int kind = random.nextInt(3);
        steps.add(start("opens", () -> open(port, kind)));
        for (int i = 0; i < CLIENTS; i++) {
          int number = i;
          steps.add(start("client-" + i, () -> connect(port, number)));
        }
        steps.add(start("closes", () -> engine.close(Duration.ZERO)));
        for (Thread step : steps) {
          assertThat(step.join(TwoEngines.PATIENCE)).as("the end of " + step.getName()).isTrue();
        }
        assertThat(failures).isEmpty();
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port))
            .as("the port").isInstanceOf(ConnectException.class);
        assertThat(engine.handovers()).isEmpty();
        assertThat(openStores).as("stores that are open").hasValue(0);
      }
    }
  }

  private interface Step {
    void run() throws Exception;
  }

  @Test
  void nothingIsLeftWhateverComesFirst() throws Exception {
    Random seeds = new Random(seed);
    for (int i = 0; i < ROUNDS; i++) {
      long ofRound = seeds.nextLong();
      try {
        new Round(ofRound).run();
      } catch (AssertionError e) {
        throw new AssertionError("round " + i + " of -Dclosing.seed=" + seed, e);
      }
    }
  }

  /** Nobody watched a connection that left for another loop after the loops had ended: its socket stayed open. */
  @Test
  @SuppressWarnings("NullAway") // no Reconnector: the connection only lends its address
  void connectionThatLeavesAfterTheEndIsClosed() throws Exception {
    SessionId id = SessionId.of("FIX.4.4", "SERVER", "CLIENT");
    FixEngine engine = FixEngine.builder().loops(2).start();
    FixAcceptor acceptor = engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        (session, message) -> {}).session(SessionSettings.of(id).build()).open();
    SessionRunner session = engine.runners().get(id);
    engine.close(Duration.ZERO);

    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      InetSocketAddress address = new InetSocketAddress(other.getInetAddress(), other.getLocalPort());
      SocketTransport stream = SocketTransport.connect(address, null);
      try (Socket end = other.accept()) {
        end.setSoTimeout((int) TwoEngines.PATIENCE.toMillis());
        SessionConnection from = SessionConnection.initiated(acceptor.home(), stream, address, session, null);
        new Handover(acceptor, from, stream, ByteBuffer.allocate(0), ByteBuffer.allocate(0)).to(session);
        assertThat(end.getInputStream().read()).isEqualTo(-1);
        assertThat(engine.handovers()).isEmpty();
      }
    }
  }

  /** A counterparty that logged on again at once held up the end of the engine, and was cut off without a Logout. */
  @Test
  void counterpartyThatComesBackIsNotLoggedOnByAnEngineThatCloses() throws Exception {
    SessionId id = SessionId.of("FIX.4.4", "SERVER", "CLIENT");
    SessionId other = SessionId.of("FIX.4.4", "SERVER", "OTHER");
    FixEngine engine = FixEngine.builder().start();
    FixAcceptor acceptor = engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        (session, message) -> {}).session(SessionSettings.of(id).build()).session(SessionSettings.of(other).build())
        .open();
    int port = acceptor.localAddress().getPort();
    try (RawClient client = new RawClient(port, "CLIENT"); RawClient slow = new RawClient(port, "OTHER")) {
      client.logon(1, "");
      client.readUntil("|35=A|");
      slow.logon(1, "");
      slow.readUntil("|35=A|");
      CompletableFuture<ClosingReport> report = CompletableFuture.supplyAsync(() -> engine.close(TwoEngines.PATIENCE));
      client.readUntil("|35=5|");
      client.send("5", 2, "");
      assertThat(client.read()).isEmpty();
      assertThat(logsOn(port)).isFalse(); // the other session is not logged out yet
      slow.readUntil("|35=5|");
      slow.send("5", 2, "");
      assertThat(report.get(20, TimeUnit.SECONDS).sessions()).extracting(ClosingReport.Session::isLoggedOut)
          .containsExactly(true, true);
    }
  }

  private static boolean logsOn(int port) {
    try (RawClient again = new RawClient(port, "CLIENT")) {
      again.logon(3, "");
      return again.read().contains("|35=A|");
    } catch (IOException e) {
      return false; // refused, or reset
    }
  }
}
