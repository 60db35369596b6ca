package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.event.SessionListener;
import dev.decant.fix.message.MessageTooLargeException;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.SessionSettingsBuilder;
import dev.decant.fix.store.MemoryStores;
import dev.decant.fix.store.MessageStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A message that send accepts has a number and is in the store when the call returns. A refused one is nowhere. */
@Timeout(60)
@SuppressWarnings("FutureReturnValueIgnored") // of actions whose effect is looked at
class SendTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final SessionId SERVER = SessionId.of(TwoEngines.VERSION, "SERVER", "CLIENT");
  private static final SessionId CLIENT = SessionId.of(TwoEngines.VERSION, "CLIENT", "SERVER");

  private final FixEngine serverEngine = FixEngine.builder().name("server").start();
  private final FixEngine clientEngine = FixEngine.builder().name("client").start();
  private final Received received = new Received();
  private final RefusingStore store = new RefusingStore(new MemoryStores(1 << 20).open(CLIENT, 0));

  @AfterEach
  void close() {
    clientEngine.close();
    serverEngine.close();
  }

  /** The counterparty: remembers numbers and identifiers. */
  private static final class Received implements Application {
    private final Queue<Long> numbers = new ConcurrentLinkedQueue<>();
    private final Queue<String> ids = new ConcurrentLinkedQueue<>();

    @Override
    public void onMessage(FixSession session, MessageView message) {
      numbers.add(message.integer(Tag.MSG_SEQ_NUM));
      ids.add(message.string(11));
    }
  }

  /** A store whose disk may be full. */
  private static final class RefusingStore implements MessageStore {
    private final MessageStore store;
    private volatile boolean refuses;
    private volatile @Nullable IOException failure;

    RefusingStore(MessageStore store) {
      this.store = store;
    }

    private boolean isTaken() {
      failure = refuses ? new IOException("the disk is full") : null;
      return !refuses;
    }

    @Override
    public long nextOutbound() {
      return store.nextOutbound();
    }

    @Override
    public long nextInbound() {
      return store.nextInbound();
    }

    @Override
    public long createdEpochNanos() {
      return store.createdEpochNanos();
    }

    @Override
    public boolean appendOutbound(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
      return isTaken() && store.appendOutbound(number, epochNanos, buffer, from, to);
    }

    @Override
    public boolean setNextOutbound(long number, long epochNanos) {
      return isTaken() && store.setNextOutbound(number, epochNanos);
    }

    @Override
    public boolean appendInbound(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
      return store.appendInbound(number, epochNanos, buffer, from, to);
    }

    @Override
    public boolean setNextInbound(long number, long epochNanos) {
      return isTaken() && store.setNextInbound(number, epochNanos);
    }

    @Override
    public boolean reset(long epochNanos) {
      return isTaken() && store.reset(epochNanos);
    }

    @Override
    public boolean commit() {
      return store.commit();
    }

    @Override
    public void replayOutbound(long fromNumber, long toNumber, Replay replay) throws IOException {
      store.replayOutbound(fromNumber, toNumber, replay);
    }

    @Override
    public @Nullable IOException failure() {
      return failure;
    }

    @Override
    public void close() {
      store.close();
    }
  }

  private FixAcceptor listen() throws IOException {
    return serverEngine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), received)
        .session(SessionSettings.of(SERVER).build()).open();
  }

  private FixSession open(FixAcceptor acceptor, SessionSettingsBuilder settings, Application application)
      throws IOException {
    return clientEngine.initiator(settings.build(), application)
        .host("localhost", acceptor.localAddress().getPort()).store((id, epochNanos) -> store).open();
  }

  private FixSession connect() throws IOException, InterruptedException {
    FixSession session = open(listen(), SessionSettings.of(CLIENT), (from, message) -> {});
    assertThat(session.awaitLogon(PATIENCE)).isTrue();
    return session;
  }

  private static long send(OutboundMessage order, String id) {
    assertThat(order.begin("D")).isEqualTo(SendStatus.OK);
    order.text(11, id);
    return order.send();
  }

  private void awaitReceived(int count) throws InterruptedException {
    assertThat(serverEngine.waitUntil(() -> received.ids.size() >= count, PATIENCE)).as("%s", received.ids).isTrue();
  }

  /** The owner of the loop used to number and store messages: while it was busy, they were in memory only. */
  @Test
  void messageIsNumberedAndStoredWhileTheLoopIsBusy() throws Exception {
    CountDownLatch isBusy = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    FixSession session = open(listen(), SessionSettings.of(CLIENT), new Application() {
      @Override
      public void onMessage(FixSession from, MessageView message) {}

      @Override
      public void onLogon(FixSession from) {
        isBusy.countDown();
        await(goesOn);
      }
    });
    await(isBusy);

    OutboundMessage order = session.newMessage();
    assertThat(send(order, "A")).isEqualTo(2);
    assertThat(send(order, "B")).isEqualTo(3);
    assertThat(store.nextOutbound()).isEqualTo(4);
    assertThat(session.nextOutbound()).isEqualTo(4);
    goesOn.countDown();
    awaitReceived(2);
    assertThat(received.numbers).containsExactly(2L, 3L);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void messageThatTheStoreRefusesHasNoNumberAndCanBeSentAgain() throws Exception {
    FixSession session = connect();
    List<String> told = new CopyOnWriteArrayList<>();
    clientEngine.listen(new SessionListener() {
      @Override
      public void onStoreFailed(SessionId id, Exception cause) {
        told.add(String.valueOf(cause.getMessage()));
      }
    });
    OutboundMessage order = session.newMessage();
    store.refuses = true;

    long result = send(order, "A");
    assertThat(SendStatus.of(result)).isEqualTo(SendStatus.STORE_FAILED);
    assertThat(SendStatus.of(order.send())).isEqualTo(SendStatus.STORE_FAILED);
    assertThat(session.storeFailure()).hasMessage("the disk is full");
    assertThat(session.nextOutbound()).isEqualTo(2);
    assertThat(clientEngine.waitUntil(() -> !told.isEmpty(), PATIENCE)).isTrue();
    assertThat(told).as("once for many refusals").containsExactly("the disk is full");

    store.refuses = false;
    assertThat(order.send()).isEqualTo(2);
    awaitReceived(1);
    assertThat(received.ids).containsExactly("A");
    assertThat(session.isLoggedOn()).isTrue();
  }

  @Test
  void messageOfALoggedOutSessionIsNumberedAndStoredOrRefused() throws Exception {
    FixAcceptor acceptor = listen();
    FixSession session = open(acceptor, SessionSettings.of(CLIENT).sendWhileLoggedOut(true), (from, message) -> {});
    assertThat(session.awaitLogon(PATIENCE)).isTrue();
    assertThat(session.logout("").get(20, TimeUnit.SECONDS)).contains("logged out");
    long next = session.nextOutbound();
    OutboundMessage order = session.newMessage();

    assertThat(send(order, "A")).isEqualTo(next);
    store.refuses = true;
    assertThat(SendStatus.of(send(order, "B"))).isEqualTo(SendStatus.STORE_FAILED);
    assertThat(session.nextOutbound()).isEqualTo(next + 1);
    store.refuses = false;
    assertThat(order.send()).isEqualTo(next + 1);

    session.logon();
    awaitReceived(2);
    assertThat(received.ids).containsExactly("A", "B");
  }

  /** The place in the ring that such a thread had claimed used to stop all that came behind it. */
  @Test
  void threadThatDiesBetweenBeginAndSendStopsNobody() throws Exception {
    FixSession session = connect();
    Thread dying = Thread.ofPlatform().start(() -> session.newMessage().begin("D"));
    assertThat(dying.join(PATIENCE)).isTrue();

    assertThat(send(session.newMessage(), "A")).isEqualTo(2);
    awaitReceived(1);
  }

  @Test
  void messageGrowsWithItsDataUpToTheLongestMessage() throws Exception {
    FixSession session = connect();
    OutboundMessage order = session.newMessage();
    assertThat(order.begin("D")).isEqualTo(SendStatus.OK);
    order.text(11, "x".repeat(20_000)).text(58, "y".repeat(30_000));
    assertThatThrownBy(() -> order.text(58, "z".repeat(20_000))).isInstanceOf(MessageTooLargeException.class);

    assertThat(order.send()).isEqualTo(2);
    awaitReceived(1);
    assertThat(received.ids.peek()).hasSize(20_000);
  }

  @Test
  void threadsAndTheSessionShareAndSkipNoNumber() throws Exception {
    int senders = 4;
    int each = 500;
    FixSession session = open(listen(), SessionSettings.of(CLIENT).ringBytes(1 << 14).maxMessageBytes(1 << 12)
        .outputBytes(1 << 14).sendTimeout(PATIENCE), (from, message) -> {});
    assertThat(session.awaitLogon(PATIENCE)).isTrue();
    List<Long> given = new CopyOnWriteArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < senders; i++) {
      String sender = i + "-";
      threads.add(Thread.ofPlatform().start(() -> {
        OutboundMessage order = session.newMessage();
        List<Long> own = new ArrayList<>();
        for (int k = 0; k < each; k++) {
          own.add(send(order, sender + k));
        }
        given.addAll(own);
      }));
    }
    for (Thread thread : threads) {
      assertThat(thread.join(PATIENCE)).isTrue();
    }
    awaitReceived(senders * each);

    assertThat(List.copyOf(received.numbers)).isSorted().doesNotHaveDuplicates();
    assertThat(given).hasSize(senders * each).containsExactlyInAnyOrderElementsOf(received.numbers);
    assertThat(session.nextOutbound()).isEqualTo(2 + senders * each);
  }
}
