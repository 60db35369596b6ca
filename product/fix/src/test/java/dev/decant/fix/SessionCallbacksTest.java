package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.message.FieldException;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.RejectReason;
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

/** Applications see session messages, add fields to them, and get the number of each message that they send. */
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

  /** What an application found wrong with a session message was logged, and the counterparty did not hear of it. */
  @Test
  void sessionMessageThatTheApplicationFindsWrongIsRejected() throws Exception {
    FixAcceptor acceptor = serverEngine
        .acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new Application() {
          @Override
          public void onMessage(FixSession session, MessageView message) {}

          @Override
          public void onSessionMessage(FixSession session, MessageView message) {
            serverSaw.add(message.string(Tag.MSG_TYPE) + message.string(Tag.MSG_SEQ_NUM));
            if (!message.has(OWN_FIELD)) {
              throw new FieldException(OWN_FIELD, RejectReason.REQUIRED_TAG_MISSING, "no desk");
            }
            if (message.contentEquals(OWN_FIELD, "broken")) {
              throw new IllegalStateException("of the test");
            }
          }
        }).session(SessionSettings.of(SERVER).build()).open();
    try (RawClient client = new RawClient(acceptor.localAddress().getPort(), "CLIENT")) {
      client.logon(1, ""); // obeyed: an Authenticator refuses logons
      assertThat(client.read()).contains("|35=A|34=1|");
      client.send("1", 2, "112=A|");
      assertThat(client.read()).contains("|35=3|34=2|", "|45=2|", "|371=9001|", "|372=1|", "|373=1|");
      client.send("1", 3, "112=B|9001=desk|");
      assertThat(client.read()).contains("|35=0|34=3|", "|112=B|");
      client.send("1", 4, "112=C|9001=broken|");
      assertThat(client.read()).contains("|35=0|34=4|", "|112=C|");
      client.send("2", 5, "7=1|16=0|");
      assertThat(client.read()).contains("|35=3|34=5|", "|45=5|", "|372=2|");
      client.send("0", 7, "9001=desk|"); // beyond a gap: shown in its turn, and once
      assertThat(client.read()).contains("|35=2|34=6|", "|7=6|");
      client.send("0", 6, "9001=desk|");
      client.send("5", 8, "");
      assertThat(client.read()).contains("|35=5|34=7|");
    }
    assertThat(serverSaw).containsExactly("A1", "12", "13", "14", "25", "06", "07", "58");
  }
}
