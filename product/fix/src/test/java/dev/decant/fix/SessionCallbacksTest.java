package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Applications see the messages of the session layer, add fields to them, and learn the number of what they send. */
@Timeout(60)
class SessionCallbacksTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final SessionId SERVER = SessionId.of(TwoEngines.VERSION, "SERVER", "CLIENT");
  private static final SessionId CLIENT = SessionId.of(TwoEngines.VERSION, "CLIENT", "SERVER");
  private static final int OWN_FIELD = 9001;

  private final FixEngine serverEngine = FixEngine.builder().name("server").start();
  private final FixEngine clientEngine = FixEngine.builder().name("client").start();
  private final List<String> serverSaw = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    clientEngine.close();
    serverEngine.close();
  }

  /** Rejects orders, and remembers what session messages have in a field of their own. */
  private final class Venue implements Application {
    @Override
    public void onMessage(FixSession session, MessageView message) {
      session.reject(message, 99, 11, "no such order");
    }

    @Override
    public void onSessionMessage(FixSession session, MessageView message) {
      serverSaw.add(message.string(Tag.MSG_TYPE) + '/' + message.string(OWN_FIELD, "none"));
    }
  }

  /** Finds the order that a Reject(3) speaks of by its number. */
  private static class Buyer implements Application {
    final Map<Long, String> orders = new ConcurrentHashMap<>();
    final List<String> rejected = new CopyOnWriteArrayList<>();
    final List<String> sent = new CopyOnWriteArrayList<>();

    @Override
    public void onMessage(FixSession session, MessageView message) {}

    @Override
    public void onSessionMessageToBeSent(FixSession session, String msgType, FieldWriter fields) {
      fields.text(OWN_FIELD, "of-" + msgType);
    }

    @Override
    public void onMessageSent(FixSession session, MessageView message) {
      sent.add(message.string(Tag.MSG_TYPE));
      if (message.has(11)) {
        orders.put(message.integer(Tag.MSG_SEQ_NUM), message.string(11));
      }
    }

    @Override
    public void onSessionMessage(FixSession session, MessageView message) {
      if (message.contentEquals(Tag.MSG_TYPE, "3")) {
        rejected.add(String.valueOf(orders.get(message.integer(Tag.REF_SEQ_NUM))));
      }
    }
  }

  private FixSession connect(Application application, Duration heartbeats) throws IOException, InterruptedException {
    FixAcceptor acceptor = serverEngine
        .acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new Venue())
        .session(SessionSettings.of(SERVER).build()).open();
    FixSession session = clientEngine
        .initiator(SessionSettings.of(CLIENT).heartbeatInterval(heartbeats).build(), application)
        .host("localhost", acceptor.localAddress().getPort()).open();
    assertThat(session.awaitLogon(PATIENCE)).isTrue();
    return session;
  }

  @Test
  void rejectIsMatchedToTheOrderByTheNumberOfSendAndOfTheCallback() throws Exception {
    Buyer buyer = new Buyer();
    FixSession session = connect(buyer, Duration.ofSeconds(30));
    OutboundMessage order = session.newMessage();
    for (String id : List.of("A", "B")) {
      assertThat(order.begin("D")).isEqualTo(SendStatus.OK);
      order.text(11, id);
      assertThat(order.send()).isEqualTo(id.equals("A") ? 2 : 3);
    }

    assertThat(clientEngine.waitUntil(() -> buyer.rejected.size() == 2, PATIENCE)).isTrue();
    assertThat(buyer.rejected).containsExactly("A", "B");
    assertThat(buyer.orders).containsOnly(Map.entry(2L, "A"), Map.entry(3L, "B"));
  }

  @Test
  void fieldsAreAddedToLogonHeartbeatAndLogoutAndSeenByTheOtherEnd() throws Exception {
    Buyer buyer = new Buyer();
    FixSession session = connect(buyer, Duration.ofSeconds(1));
    assertThat(serverEngine.waitUntil(() -> serverSaw.contains("0/of-0"), PATIENCE)).as("%s", serverSaw).isTrue();

    assertThat(session.logout("enough").get(20, TimeUnit.SECONDS)).isEqualTo("logged out");
    assertThat(serverSaw.getFirst()).isEqualTo("A/of-A");
    assertThat(serverSaw).contains("0/of-0").endsWith("5/of-5");
    assertThat(buyer.sent).startsWith("A", "0").endsWith("5");
  }

  @Test
  void callbackThatThrowsHarmsNoMessage() throws Exception {
    FixSession session = connect(new Buyer() {
      @Override
      public void onSessionMessageToBeSent(FixSession from, String msgType, FieldWriter fields) {
        throw new IllegalStateException("of the test");
      }

      @Override
      public void onMessageSent(FixSession from, MessageView message) {
        throw new IllegalStateException("of the test");
      }
    }, Duration.ofSeconds(30));

    assertThat(session.isLoggedOn()).isTrue();
    assertThat(session.logout("").get(20, TimeUnit.SECONDS)).isEqualTo("logged out");
    assertThat(serverSaw).containsExactly("A/none", "5/none");
  }
}
