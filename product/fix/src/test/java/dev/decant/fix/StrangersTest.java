package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.event.SessionListener;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.tls.TlsSettings;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Connections to an acceptor that are not logged on. Idle ones took 64 KiB of direct memory each, and stopped the
 * engine when there was none left. Four that announced 16 MB held the memory of all sessions. Unknown ones were not
 * reported.
 */
@Timeout(60)
@SuppressWarnings("FutureReturnValueIgnored") // of actions whose effect is looked at
class StrangersTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final SessionId SERVER = SessionId.of("FIX.4.4", "SERVER", "CLIENT");
  private static final SessionId CLIENT = SessionId.of("FIX.4.4", "CLIENT", "SERVER");
  private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final FixEngine serverEngine = FixEngine.builder().name("server").tlsMemory(1 << 20).start();
  private final FixEngine clientEngine = FixEngine.builder().name("client").start();
  private final List<String> refused = new CopyOnWriteArrayList<>();
  private final List<Socket> strangers = new ArrayList<>();

  @AfterEach
  void close() throws IOException {
    for (Socket stranger : strangers) {
      stranger.close();
    }
    clientEngine.close();
    serverEngine.close();
  }

  /** Does nothing. */
  private static final class Quiet implements Application {
    @Override
    public void onMessage(FixSession session, MessageView message) {}
  }

  private AcceptorBuilder acceptor() {
    serverEngine.listen(new SessionListener() {
      @Override
      public void onConnectionRefused(InetSocketAddress from, String reason) {
        refused.add(from + " " + reason);
      }
    });
    return serverEngine.acceptor(ANY_PORT, new Quiet()).session(SessionSettings.of(SERVER).build());
  }

  private InitiatorBuilder client(FixAcceptor acceptor) {
    return clientEngine.initiator(SessionSettings.of(CLIENT).build(), new Quiet())
        .host("localhost", acceptor.localAddress().getPort());
  }

  private Socket stranger(FixAcceptor acceptor) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), acceptor.localAddress().getPort());
    socket.setSoTimeout((int) PATIENCE.toMillis());
    strangers.add(socket);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static String logon(String beginString, String sender) {
    String time = LocalDateTime.now(ZoneOffset.UTC).format(DateTimeFormatter.ofPattern("yyyyMMdd-HH:mm:ss"));
    String body = "35=A|49=" + sender + "|56=SERVER|34=1|52=" + time + "|98=0|108=30|";
    String message = ("8=" + beginString + "|9=" + body.length() + "|" + body).replace('|', '\u0001');
    int sum = 0;
    for (byte b : message.getBytes(StandardCharsets.ISO_8859_1)) {
      sum += b & 0xFF;
    }
    return message + String.format(Locale.ROOT, "10=%03d\u0001", sum & 0xFF);
  }

  /** Both were closed without a word to anybody but a debug line. */
  @Test
  void logonsThatNobodyKnowsAreToldCountedAndLogged() throws Exception {
    BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    Handler handler = new Handler() {
      @Override
      public void publish(LogRecord line) {
        lines.add(line.getLevel() + " " + line.getMessage());
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
    Logger logger = Logger.getLogger(FixAcceptor.class.getName());
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
    try {
      FixAcceptor acceptor = acceptor().open();
      Socket unknown = stranger(acceptor);
      send(unknown, logon("FIX.4.4", "EVIL\u001b[31m\nSEVERE: forged" + "x".repeat(200)));
      assertThat(unknown.getInputStream().read()).isEqualTo(-1);
      Socket otherVersion = stranger(acceptor);
      send(otherVersion, logon("FIX.4.2", "CLIENT"));
      assertThat(otherVersion.getInputStream().read()).isEqualTo(-1);
      Socket browser = stranger(acceptor);
      send(browser, "GET / HTTP/1.1\r\n\r\n");
      assertThat(browser.getInputStream().read()).isEqualTo(-1);

      assertThat(serverEngine.waitUntil(() -> refused.size() == 3, PATIENCE)).as("told: %s", refused).isTrue();
      assertThat(refused.get(0)).startsWith(unknown.getLocalSocketAddress().toString().replace("localhost", ""))
          .contains("SenderCompID EVIL\\x1b[31m\\x0aSEVERE: forged").doesNotContain("\n", "\u001b")
          .hasSizeLessThan(300);
      assertThat(refused.get(1))
          .endsWith("there is no session for a Logon with BeginString FIX.4.2, SenderCompID CLIENT,"
              + " TargetCompID SERVER; the session of these CompIDs is " + SERVER);
      assertThat(refused.get(2)).endsWith("its first message is no Logon");
      assertThat(acceptor.refusedConnections()).isEqualTo(3);
      assertThat(acceptor.unknownLogons()).isEqualTo(2);
      assertThat(lines.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).startsWith("WARNING ")
          .contains("cannot log on: there is no session for a Logon");
      for (int i = 0; i < 20; i++) {
        Socket again = stranger(acceptor);
        send(again, logon("FIX.4.4", "STRANGER"));
        assertThat(again.getInputStream().read()).isEqualTo(-1);
      }
      assertThat(serverEngine.waitUntil(() -> acceptor.unknownLogons() == 22, PATIENCE)).isTrue();
      assertThat(lines).as("at most one line a second").hasSizeLessThan(20);
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
    }
  }

  @Test
  void idleConnectionsTakeNoDirectMemoryAndKeepNobodyOut() throws Exception {
    FixAcceptor acceptor = acceptor().connectionsBeforeLogon(50, 50).open();
    FixSession client = client(acceptor).open();
    assertThat(client.awaitLogon(PATIENCE)).isTrue();
    long before = directBytes();
    for (int i = 0; i < 200; i++) {
      stranger(acceptor);
    }
    for (int i = 0; i < 150; i++) {
      assertThat(strangers.get(i).getInputStream().read()).isEqualTo(-1);
    }
    assertThat(directBytes() - before).as("bytes of direct memory").isLessThan(50 * 64 * 1024);
    assertThat(serverEngine.waitUntil(() -> refused.size() == 150, PATIENCE)).as("%d of 150", refused.size()).isTrue();
    assertThat(refused).allMatch(reason -> reason.endsWith("and this was the oldest"));
    assertThat(client.isLoggedOn()).isTrue();

    client.logout("");
    assertThat(clientEngine.waitUntil(() -> !client.isLoggedOn() && !acceptor.session(SERVER).isLoggedOn(), PATIENCE))
        .isTrue();
    client.logon();
    assertThat(client.awaitLogon(PATIENCE)).as("with all places taken").isTrue();
  }

  private static long directBytes() {
    for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
      if (pool.getName().equals("direct")) {
        return pool.getMemoryUsed();
      }
    }
    throw new AssertionError("no pool of direct memory");
  }

  @Test
  void announcementOfALargeMessageEndsAConnectionThatIsNotLoggedOn() throws Exception {
    FixAcceptor acceptor = acceptor().maxLogonBytes(512).open();
    Socket large = stranger(acceptor);
    send(large, "8=FIX.4.4\u00019=16700000\u000135=A\u0001");
    assertThat(large.getInputStream().read()).isEqualTo(-1);
    assertThat(serverEngine.waitUntil(() -> refused.size() == 1, PATIENCE)).isTrue();
    assertThat(refused.getFirst()).contains("bytes; the bound is 512");

    Socket padded = stranger(acceptor);
    send(padded, logon("FIX.4.4", "C".repeat(600)));
    assertThat(padded.getInputStream().read()).isEqualTo(-1);
    assertThat(client(acceptor).open().awaitLogon(PATIENCE)).isTrue();
  }

  /** Only what came with the first bytes, or 64 KiB, was taken. */
  @Test
  void longLogonIsTakenIfItIsWithinTheBound() throws Exception {
    FixAcceptor acceptor = serverEngine.acceptor(ANY_PORT, new Quiet())
        .session(SessionSettings.of(SERVER).outputBytes(1 << 20).maxMessageBytes(1 << 18).build())
        .maxLogonBytes(300_000).memoryBeforeLogon(1 << 20).open();
    try (RawClient client = new RawClient(acceptor.localAddress().getPort(), "CLIENT")) {
      client.logon(1, "58=" + "x".repeat(250_000) + '|');
      assertThat(client.read()).contains("|35=A|34=1|");
      client.send("1", 2, "112=" + "y".repeat(100_000) + '|');
      assertThat(client.read()).contains("|35=0|34=2|");
    }
  }

  @Test
  void connectionsThatSendHalfALogonReplaceEachOther() throws Exception {
    FixAcceptor acceptor = acceptor().maxLogonBytes(512).memoryBeforeLogon(1_024).open();
    for (int i = 0; i < 3; i++) {
      send(stranger(acceptor), "8=FIX.4.4");
    }
    assertThat(serverEngine.waitUntil(() -> refused.size() == 1, PATIENCE)).isTrue();
    assertThat(refused.getFirst())
        .endsWith("2 connections that have sent bytes are not authenticated, and this was the oldest");
    assertThat(client(acceptor).open().awaitLogon(PATIENCE)).isTrue();
  }

  /** With TLS each half-open handshake took 64 KiB of memory until its time-out, and could keep all others out. */
  @Test
  void halfOpenHandshakesTakeAFourthOfTheMemoryAtMost(@TempDir Path folder) throws Exception {
    TestKeys keys = TestKeys.make(folder.resolve("server.p12"), "server");
    FixAcceptor acceptor = acceptor().tls(TlsSettings.builder().keys(keys.keys()).trust(keys.trust()).build()).open();
    for (int i = 0; i < 6; i++) { // of 1 MiB a fourth are 4 connections
      send(stranger(acceptor), "\u0016\u0003\u0001");
    }
    assertThat(serverEngine.waitUntil(() -> refused.size() == 2, PATIENCE)).isTrue();
    assertThat(refused).allMatch(reason -> reason.endsWith("4 connections that have sent bytes are not authenticated,"
        + " and this was the oldest"));
  }

  @Test
  void boundsThatAreNoneAreRefused() {
    assertThatThrownBy(() -> acceptor().connectionsBeforeLogon(1, 0)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("connectionsBeforeLogon: 1 and 0");
    assertThatThrownBy(() -> acceptor().memoryBeforeLogon(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> acceptor().maxLogonBytes(1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> acceptor().memoryBeforeLogon(1_000).open()).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("less than maxLogonBytes, 8192");
  }
}
