package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.event.SessionListener;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.BackPressure;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.SessionSettingsBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Engines with other than plain traffic: accepted and refused logons, hosts of initiators, and slow counterparties. */
@Timeout(60)
@SuppressWarnings("FutureReturnValueIgnored") // of actions whose effect is looked at
class EngineSessionsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String VERSION = "FIX.4.4";
  private static final SessionId SERVER = SessionId.of(VERSION, "SERVER", "CLIENT");
  private static final SessionId CLIENT = SessionId.of(VERSION, "CLIENT", "SERVER");
  private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final FixEngine serverEngine = FixEngine.builder().name("server").start();
  private final FixEngine clientEngine = FixEngine.builder().name("client").start();
  private final List<String> told = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    clientEngine.close();
    serverEngine.close();
  }

  /** Does nothing but to remember ends of sessions. */
  private class Quiet implements Application {
    @Override
    public void onMessage(FixSession session, MessageView message) {}

    @Override
    public void onLogout(FixSession session, String reason) {
      told.add(reason);
    }
  }

  private FixSession connect(Application application, FixAcceptor acceptor) throws IOException {
    return clientEngine.initiator(SessionSettings.of(CLIENT).build(), application)
        .host("localhost", acceptor.localAddress().getPort())
        .reconnectDelay(Duration.ofMillis(20), Duration.ofMillis(100)).open();
  }

  @Test
  void authenticatorRefusesWithItsReason() throws Exception {
    FixAcceptor acceptor = serverEngine.acceptor(ANY_PORT, new Quiet()).session(SessionSettings.of(SERVER).build())
        .authenticator(new Authenticator() {
          @Override
          public @Nullable String refuse(SessionId id, MessageView logon, Peer peer) {
            return logon.contentEquals(Tag.PASSWORD, "secret") ? null : "wrong password";
          }
        }).open();
    List<String> passwords = new CopyOnWriteArrayList<>(List.of("guessed", "secret"));
    FixSession client = connect(new Quiet() {
      @Override
      public void onLogonToBeSent(FixSession session, FieldWriter logon) {
        logon.text(Tag.USERNAME, "user").text(Tag.PASSWORD, passwords.size() > 1
            ? passwords.removeFirst()
            : passwords.getFirst());
      }
    }, acceptor);

    assertThat(client.awaitLogon(PATIENCE)).isTrue();
    assertThat(told).anyMatch(reason -> reason.contains("wrong password"));
    assertThat(told).noneMatch(reason -> reason.contains("guessed") || reason.contains("secret"));
  }

  @Test
  void authenticatorMakesSessionsForCounterpartiesThatItKnows() throws Exception {
    FixAcceptor acceptor = serverEngine.acceptor(ANY_PORT, new Quiet()).authenticator(new Authenticator() {
      @Override
      public @Nullable SessionSettings newSession(SessionId id, MessageView logon, Peer peer) {
        return id.targetCompId().equals("CLIENT") ? SessionSettings.of(id).build() : null;
      }
    }).open();

    assertThat(connect(new Quiet(), acceptor).awaitLogon(PATIENCE)).isTrue();
    assertThat(acceptor.session(SERVER).awaitLogon(PATIENCE)).isTrue();
    try (Socket stranger = new Socket(InetAddress.getLoopbackAddress(), acceptor.localAddress().getPort())) {
      stranger.setSoTimeout(10_000);
      stranger.getOutputStream().write(logonOf("STRANGER"));

      assertThat(stranger.getInputStream().read()).as("closed without a word").isEqualTo(-1);
    }
  }

  @Test
  void secondLogonOfASessionIsRefused() throws Exception {
    FixAcceptor acceptor = serverEngine.acceptor(ANY_PORT, new Quiet()).session(SessionSettings.of(SERVER).build())
        .open();
    FixSession client = connect(new Quiet(), acceptor);
    assertThat(client.awaitLogon(PATIENCE)).isTrue();
    try (Socket second = new Socket(InetAddress.getLoopbackAddress(), acceptor.localAddress().getPort())) {
      second.setSoTimeout(10_000);
      second.getOutputStream().write(logonOf("CLIENT"));

      assertThat(second.getInputStream().read()).as("closed without a word").isEqualTo(-1);
    }
    assertThat(client.isLoggedOn()).isTrue();
  }

  private static byte[] logonOf(String sender) {
    return message("35=A|34=1|49=" + sender + "|52=" + now() + "|56=SERVER|98=0|108=30|");
  }

  private static String now() {
    return DateTimeFormatter.ofPattern("yyyyMMdd-HH:mm:ss").format(LocalDateTime.now(ZoneOffset.UTC));
  }

  private static byte[] message(String body) {
    String message = ("8=" + VERSION + "|9=" + body.length() + '|' + body).replace('|', '\u0001');
    int sum = message.chars().sum() % 256;
    return (message + String.format(Locale.ROOT, "10=%03d\u0001", sum)).getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Messages were sent again only when all that had come was handled: a Logout that came along ended the session
   * first.
   */
  @Test
  void requestThatComesTogetherWithALogoutIsAnsweredBeforeIt() throws Exception {
    FixAcceptor acceptor = serverEngine.acceptor(ANY_PORT, new Quiet()).session(SessionSettings.of(SERVER).build())
        .open();
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), acceptor.localAddress().getPort())) {
      client.setSoTimeout(10_000);
      client.getOutputStream().write(logonOf("CLIENT"));
      byte[] logon = new byte[4_096];
      assertThat(client.getInputStream().read(logon)).isPositive();
      ByteArrayOutputStream together = new ByteArrayOutputStream();
      together.write(message("35=2|34=2|49=CLIENT|52=" + now() + "|56=SERVER|7=1|16=0|"));
      together.write(message("35=5|34=3|49=CLIENT|52=" + now() + "|56=SERVER|"));
      client.getOutputStream().write(together.toByteArray());

      String answers = new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertThat(answers.indexOf("\u000135=4\u0001")).as(answers).isPositive()
          .isLessThan(answers.indexOf("\u000135=5\u0001"));
    }
  }

  @Test
  void nextHostIsTriedWhereOneDoesNotListen() throws Exception {
    FixAcceptor acceptor = serverEngine.acceptor(ANY_PORT, new Quiet()).session(SessionSettings.of(SERVER).build())
        .open();
    try (ReservedPort closed = new ReservedPort()) {
      FixSession client = clientEngine.initiator(SessionSettings.of(CLIENT).build(), new Quiet())
          .host("localhost", closed.number()).host("localhost", acceptor.localAddress().getPort())
          .localAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).open();

      assertThat(client.awaitLogon(PATIENCE)).isTrue();
    }
  }

  @Test
  void connectionsWithoutALogonAreClosed() throws Exception {
    FixAcceptor acceptor = serverEngine.acceptor(ANY_PORT, new Quiet()).session(SessionSettings.of(SERVER).build())
        .logonTimeout(Duration.ofMillis(50)).open();
    try (Socket silent = new Socket(InetAddress.getLoopbackAddress(), acceptor.localAddress().getPort());
        Socket other = new Socket(InetAddress.getLoopbackAddress(), acceptor.localAddress().getPort())) {
      silent.setSoTimeout(10_000);
      other.setSoTimeout(10_000);
      other.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

      assertThat(silent.getInputStream().read()).isEqualTo(-1);
      assertThat(other.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void senderIsRefusedWhileTheCounterpartyDoesNotRead() throws Exception {
    assertThat(statusAgainstADeafCounterparty(BackPressure.REFUSE)).isEqualTo(SendStatus.BACK_PRESSURE);
  }

  @Test
  void senderWaitsForItsTimeOutWhileTheCounterpartyDoesNotRead() throws Exception {
    assertThat(statusAgainstADeafCounterparty(BackPressure.WAIT)).isEqualTo(SendStatus.BACK_PRESSURE);
  }

  @Test
  void sessionEndsWhereTheCounterpartyDoesNotReadIfSoSet() throws Exception {
    assertThat(statusAgainstADeafCounterparty(BackPressure.DISCONNECT)).isEqualTo(SendStatus.BACK_PRESSURE);
    assertThat(clientEngine.waitUntil(() -> !told.isEmpty(), PATIENCE)).isTrue();
    assertThat(told.getFirst()).contains("reads too slowly");
  }

  /** Fills all buffers on the way to a counterparty that answers the logon and reads no more. */
  private SendStatus statusAgainstADeafCounterparty(BackPressure answer) throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      listener.setReceiveBufferSize(4_096);
      SessionSettingsBuilder settings = SessionSettings.of(CLIENT).backPressure(answer).ringBytes(1 << 14)
          .outputBytes(1 << 14).maxMessageBytes(1 << 12).sendTimeout(Duration.ofMillis(100));
      FixSession session = clientEngine.initiator(settings.build(), new Quiet())
          .host("localhost", listener.getLocalPort()).open();
      try (Socket deaf = listener.accept()) {
        deaf.getInputStream().read(new byte[256]);
        deaf.getOutputStream().write(new String(logonOf("SERVER"), StandardCharsets.US_ASCII)
            .replace("56=SERVER", "56=CLIENT").replaceAll("10=\\d{3}", "10=" + checkSum("SERVER")).getBytes(
                StandardCharsets.US_ASCII));
        assertThat(session.awaitLogon(PATIENCE)).as("logon; %s", told).isTrue();
        OutboundMessage order = session.newMessage();
        SendStatus status = SendStatus.OK;
        for (int i = 0; i < 1_000_000 && status == SendStatus.OK; i++) {
          status = order.begin("D");
          if (status == SendStatus.OK) {
            order.text(11, "ORDER-" + i).text(58, "x".repeat(800));
            order.send();
          }
        }
        if (answer == BackPressure.DISCONNECT) { // before the counterparty's end of it
          assertThat(clientEngine.waitUntil(() -> !session.isLoggedOn(), PATIENCE)).isTrue();
        }
        return status;
      }
    }
  }

  private static String checkSum(String sender) {
    String message = new String(logonOf(sender), StandardCharsets.US_ASCII).replace("56=SERVER", "56=CLIENT");
    int sum = message.substring(0, message.length() - 7).chars().sum() % 256;
    return String.format(Locale.ROOT, "%03d", sum);
  }

  @Test
  void callbackThatWaitsIsAnError() throws Exception {
    FixAcceptor acceptor = serverEngine.acceptor(ANY_PORT, new Quiet()).session(SessionSettings.of(SERVER).build())
        .open();
    List<Throwable> thrown = new CopyOnWriteArrayList<>();
    FixSession client = connect(new Quiet() {
      @Override
      public void onLogon(FixSession session) {
        try {
          session.awaitLogon(PATIENCE);
        } catch (IllegalStateException | InterruptedException e) {
          thrown.add(e);
        }
      }
    }, acceptor);

    assertThat(client.awaitLogon(PATIENCE)).isTrue();
    assertThat(thrown).hasSize(1).first().isInstanceOf(IllegalStateException.class);
  }

  @Test
  void listenersHearOfSessions() throws Exception {
    List<String> heard = new CopyOnWriteArrayList<>();
    clientEngine.listen(new SessionListener() {
      @Override
      public void onLogon(SessionId session) {
        heard.add("logon " + session);
      }

      @Override
      public void onDisconnect(SessionId session, String reason) {
        heard.add("disconnect " + session);
      }
    });
    FixAcceptor acceptor = serverEngine.acceptor(ANY_PORT, new Quiet()).session(SessionSettings.of(SERVER).build())
        .open();
    FixSession client = connect(new Quiet(), acceptor);
    assertThat(client.awaitLogon(PATIENCE)).isTrue();
    client.logout("enough");

    assertThat(clientEngine.waitUntil(() -> heard.size() == 2, PATIENCE)).isTrue();
    assertThat(heard).containsExactly("logon " + CLIENT, "disconnect " + CLIENT);
    assertThat(clientEngine.waitUntil(() -> !acceptor.session(SERVER).isLoggedOn(), PATIENCE)).isTrue();
  }

  @Test
  void loggedOutSessionRefusesMessagesAndLogsOnAgainWhenTold() throws Exception {
    FixAcceptor acceptor = serverEngine.acceptor(ANY_PORT, new Quiet()).session(SessionSettings.of(SERVER).build())
        .open();
    FixSession client = connect(new Quiet(), acceptor);
    assertThat(client.awaitLogon(PATIENCE)).isTrue();
    client.logout("");
    assertThat(clientEngine.waitUntil(() -> !client.isLoggedOn() && told.size() == 2, PATIENCE)).isTrue();

    assertThat(client.newMessage().begin("D")).isEqualTo(SendStatus.LOGGED_OUT);
    client.logon();
    assertThat(client.awaitLogon(PATIENCE)).isTrue();
    assertThat(client.newMessage().begin("D")).isEqualTo(SendStatus.OK);
  }

  /** The logout has been sent, and its response is not there yet. */
  @Test
  void logonDuringALogoutFollowsIt() throws Exception {
    FixAcceptor acceptor = serverEngine.acceptor(ANY_PORT, new Quiet()).session(SessionSettings.of(SERVER).build())
        .open();
    FixSession client = connect(new Quiet(), acceptor);
    assertThat(client.awaitLogon(PATIENCE)).isTrue();
    client.logout("");
    client.logon();
    assertThat(clientEngine.waitUntil(() -> told.size() >= 2, PATIENCE)).isTrue();
    assertThat(client.awaitLogon(PATIENCE)).isTrue();
  }

  @Test
  void misuseIsRefusedAtOnce() throws Exception {
    assertThatThrownBy(() -> clientEngine.initiator(SessionSettings.of(CLIENT).build(), new Quiet()).open())
        .isInstanceOf(IllegalStateException.class).hasMessageContaining("has no host");
    FixAcceptor acceptor = serverEngine.acceptor(ANY_PORT, new Quiet()).session(SessionSettings.of(SERVER).build())
        .open();
    assertThatThrownBy(() -> serverEngine.acceptor(ANY_PORT, new Quiet()).session(SessionSettings.of(SERVER).build())
        .open()).isInstanceOf(IllegalStateException.class).hasMessageContaining(SERVER.toString());
    FixSession client = connect(new Quiet(), acceptor);
    assertThat(client.awaitLogon(PATIENCE)).isTrue();
    OutboundMessage order = client.newMessage();
    assertThatThrownBy(order::send).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> order.begin(MsgType.key("D"), 1 << 20)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxMessageBytes");
    assertThatThrownBy(() -> client.setNextInbound(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
