package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.SessionSettingsBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Logons as they arrive at an acceptor's port: from counterparties, and from others that know their names. */
@Timeout(60)
@SuppressWarnings("FutureReturnValueIgnored") // of actions whose effect is looked at
class AcceptorLogonsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final SessionId SERVER = SessionId.of("FIX.4.4", "SERVER", "CLIENT");

  private final FixEngine engine = FixEngine.builder().name("server").start();
  private final List<String> told = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    engine.close();
  }

  private final Application application = new Application() {
    @Override
    public void onMessage(FixSession session, MessageView message) {}

    @Override
    public void onLogout(FixSession session, String reason) {
      told.add(reason);
    }
  };

  private final Authenticator password = new Authenticator() {
    @Override
    public @Nullable String refuse(SessionId id, MessageView logon, Peer peer) {
      return logon.contentEquals(554, "secret") ? null : "wrong password";
    }
  };

  private FixAcceptor acceptor(SessionSettingsBuilder settings, Authenticator authenticator) throws IOException {
    return engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), application)
        .session(settings.build()).authenticator(authenticator).open();
  }

  private static Dictionary dictionary() throws IOException {
    try (InputStream in = Objects.requireNonNull(
        AcceptorLogonsTest.class.getResourceAsStream("conformance/dictionary.xml"))) {
      String text = new String(in.readAllBytes(), StandardCharsets.US_ASCII).replace("TYPE", "FIX")
          .replace("MAJOR", "4").replace("MINOR", "4");
      return Dictionary.load(new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII)), "dictionary.xml");
    }
  }

  /** The acceptor looked for the session with the data fields of the specification alone, and closed without a word. */
  @Test
  void logonWithADataFieldOfTheSessionsDictionaryIsAccepted() throws Exception {
    Authenticator desk = new Authenticator() {
      @Override
      public @Nullable String refuse(SessionId id, MessageView logon, Peer peer) {
        return logon.contentEquals(5902, "a\u0001b\u0001c=") ? null : "not your desk";
      }
    };
    FixAcceptor acceptor = acceptor(SessionSettings.of(SERVER).dictionary(dictionary()), desk);
    try (RawClient client = new RawClient(acceptor.localAddress().getPort(), "CLIENT")) {
      client.logon(1, "5901=6|5902=a|b|c=|");

      assertThat(client.read()).contains("|35=A|34=1|");
    }
    assertThat(engine.waitUntil(() -> acceptor.session(SERVER).nextInbound() == 2, PATIENCE)).isTrue();
  }

  /** A stranger that knew the names moved both numbers with each guess: the counterparty's next logon was too low. */
  @Test
  void strangerWithAWrongPasswordDoesNotLockTheCounterpartyOut() throws Exception {
    FixAcceptor acceptor = acceptor(SessionSettings.of(SERVER).resetOnDisconnect(true), password);
    FixSession session = acceptor.session(SERVER);
    int port = acceptor.localAddress().getPort();
    session.setNextOutbound(7);
    session.setNextInbound(9);
    for (int guess = 1; guess <= 3; guess++) {
      try (RawClient stranger = new RawClient(port, "CLIENT")) {
        stranger.logon(guess == 2 ? 1 : 9, guess == 2 ? "141=Y|" : "554=guessed|");
        assertThat(stranger.read()).contains("|35=5|34=6|43=Y|", "|58=wrong password|");
        assertThat(stranger.read()).isEmpty();
      }
    }
    assertThat(session.nextOutbound()).isEqualTo(7);
    assertThat(session.nextInbound()).isEqualTo(9);
    try (RawClient client = new RawClient(port, "CLIENT")) {
      client.logon(9, "554=secret|");
      assertThat(client.read()).contains("|35=A|34=7|");
    }
  }

  /** The size was checked before the password: each of these Logons used up a number. */
  @Test
  void strangerWithALogonThatIsTooLargeChangesNoNumber() throws Exception {
    FixAcceptor acceptor = acceptor(SessionSettings.of(SERVER).maxMessageBytes(1_024), password);
    FixSession session = acceptor.session(SERVER);
    int port = acceptor.localAddress().getPort();
    session.setNextOutbound(7);
    try (RawClient stranger = new RawClient(port, "CLIENT")) {
      stranger.logon(1, "58=" + "x".repeat(3_000) + "|554=guessed|");
      assertThat(stranger.read()).contains("|35=5|34=6|43=Y|", "maxMessageBytes is 1024");
      assertThat(stranger.read()).isEmpty();
    }
    assertThat(session.nextOutbound()).isEqualTo(7);
    assertThat(session.nextInbound()).isEqualTo(1);
    try (RawClient client = new RawClient(port, "CLIENT")) {
      client.logon(1, "554=secret|");
      assertThat(client.read()).contains("|35=A|34=7|");
    }
  }

  /** The response was on its way before the number of its request could be read. */
  @Test
  void whoHasTheResponseReadsWhatItsRequestChanged() throws Exception {
    FixAcceptor acceptor = acceptor(SessionSettings.of(SERVER), password);
    FixSession session = acceptor.session(SERVER);
    try (RawClient client = new RawClient(acceptor.localAddress().getPort(), "CLIENT")) {
      client.logon(1, "554=secret|");
      client.readUntil("|35=A|");
      assertThat(session.isLoggedOn()).isTrue();
      for (int number = 2; number < 2_000; number++) {
        client.send("1", number, "112=" + number + '|');
        client.awaitBytes();
        assertThat(session.nextInbound()).isEqualTo(number + 1);
        assertThat(client.read()).contains("|35=0|", "|112=" + number + '|');
      }
    }
  }

  /** The text was found wrong in the loop, where nobody hears of it. */
  @Test
  void textOfALogoutIsCheckedAtOnce() throws Exception {
    FixAcceptor acceptor = acceptor(SessionSettings.of(SERVER).maxMessageBytes(512), password);
    FixSession session = acceptor.session(SERVER);
    try (RawClient client = new RawClient(acceptor.localAddress().getPort(), "CLIENT")) {
      client.logon(1, "554=secret|");
      assertThat(client.read()).contains("|35=A|");
      for (String wrong : List.of("cut\u0001here", "\u20ac 5", "x".repeat(257))) {
        assertThatThrownBy(() -> session.logout(wrong)).isInstanceOf(IllegalArgumentException.class);
      }
      assertThat(session.isLoggedOn()).isTrue();
      session.logout("caf\u00e9 closes");
      assertThat(client.read()).contains("|35=5|34=2|", "|58=caf\u00e9 closes|");
    }
  }

  /** Sessions that differ by their LocationIDs alone were one session to the acceptor. */
  @Test
  void logonFindsTheSessionOfItsSubIdsAndLocations() throws Exception {
    SessionId paris = SERVER.withTarget("DESK", "PARIS");
    SessionId tokyo = SERVER.withTarget("DESK", "TOKYO");
    SessionId desk = SERVER.withTarget("DESK", "");
    AcceptorBuilder builder = engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), application);
    for (SessionId id : List.of(SERVER, paris, tokyo, desk)) {
      builder.session(SessionSettings.of(id).build());
    }
    FixAcceptor acceptor = builder.open();
    int port = acceptor.localAddress().getPort();
    assertThat(loggedOnBy(port, "50=DESK|142=TOKYO|")).isEqualTo(tokyo);
    assertThat(loggedOnBy(port, "50=DESK|142=PARIS|")).isEqualTo(paris);
    assertThat(loggedOnBy(port, "50=DESK|142=ROME|")).isEqualTo(desk);
    assertThat(loggedOnBy(port, "142=ROME|")).isEqualTo(SERVER);
  }

  /** The session that a Logon with these fields begins: its store counts the Logon. */
  private SessionId loggedOnBy(int port, String fields) throws Exception {
    try (RawClient client = new RawClient(port, "CLIENT")) {
      client.logon(1, fields);
      assertThat(client.read()).contains("|35=A|34=1|");
    }
    List<SessionId> moved = new CopyOnWriteArrayList<>();
    for (FixSession session : engine.sessions()) {
      if (engine.waitUntil(() -> !session.isConnected(), PATIENCE) && session.nextInbound() > 1) {
        moved.add(session.id());
        session.resetSequenceNumbers().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      }
    }
    assertThat(moved).hasSize(1);
    return moved.getFirst();
  }

  /** What a refusal says may repeat what the counterparty has sent. */
  @Test
  void refusalOfAnyTextIsSent() throws Exception {
    FixAcceptor acceptor = acceptor(SessionSettings.of(SERVER), new Authenticator() {
      @Override
      public String refuse(SessionId id, MessageView logon, Peer peer) {
        return "no\u0001 \u20ac\n" + "x".repeat(100_000);
      }
    });
    try (RawClient client = new RawClient(acceptor.localAddress().getPort(), "CLIENT")) {
      client.logon(1, "");
      assertThat(client.read()).contains("|58=no? ??xxx", "xxx...|").hasSizeLessThan(1_000);
    }
  }
}
