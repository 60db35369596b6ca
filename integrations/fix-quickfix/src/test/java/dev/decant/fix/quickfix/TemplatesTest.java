package dev.decant.fix.quickfix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import quickfix.ConfigError;
import quickfix.DefaultMessageFactory;
import quickfix.FieldNotFound;
import quickfix.FileStoreFactory;
import quickfix.IncorrectDataFormat;
import quickfix.IncorrectTagValue;
import quickfix.MemoryStoreFactory;
import quickfix.Message;
import quickfix.MessageStoreFactory;
import quickfix.RejectLogon;
import quickfix.SessionID;
import quickfix.SessionSettings;

/**
 * Sessions that an acceptor creates at their Logon, by sections of the settings and by providers of the application.
 */
@Timeout(60)
class TemplatesTest {
  private static final SessionID TEMPLATE = new SessionID("FIX.4.4", "VENUE", "*");

  @TempDir
  private Path folder = Path.of("");

  private final SessionSettings settings = new SessionSettings();
  private @Nullable SocketAcceptor acceptor;

  /** An application that knows a password. */
  private static final class Venue extends Side {
    Venue(int port) {
      super(EngineUnderTest.DECANT, true, "FIX.4.4", port);
    }

    @Override
    public void fromAdmin(Message message, SessionID session)
        throws FieldNotFound, IncorrectDataFormat, IncorrectTagValue, RejectLogon {
      super.fromAdmin(message, session);
      if (message.isSetField(554) && !message.getString(554).equals("secret")) {
        throw new RejectLogon("wrong password");
      }
    }
  }

  @AfterEach
  void stop() {
    if (acceptor != null) {
      acceptor.stop();
    }
  }

  private void section(SessionID id, int port, boolean isTemplate) {
    settings.setString(id, "ConnectionType", "acceptor");
    settings.setString(id, "SocketAcceptPort", Integer.toString(port));
    settings.setString(id, "NonStopSession", "Y");
    if (isTemplate) {
      settings.setString(id, "AcceptorTemplate", "Y");
    }
  }

  private SocketAcceptor acceptor(Venue venue, MessageStoreFactory stores) {
    SocketAcceptor made = new SocketAcceptor(venue, stores, settings, EngineUnderTest.SILENT,
        new DefaultMessageFactory());
    acceptor = made;
    return made;
  }

  private DynamicAcceptorSessionProvider provider(Venue venue, SessionID template) {
    return new DynamicAcceptorSessionProvider(settings, List.of(new DynamicAcceptorSessionProvider.TemplateMapping(
        new SessionID("*", "*", "*"), template)), venue, new MemoryStoreFactory(), EngineUnderTest.SILENT,
        new DefaultMessageFactory());
  }

  /** The provider of the application had no such rule: it let in whom the section of its template refused. */
  @Test
  void addressThatMayNotLogOnIsRefusedBeforeTheApplicationIsAsked() throws Exception {
    int port = Side.freePort();
    Venue venue = new Venue(port);
    section(TEMPLATE, port, true);
    section(new SessionID("FIX.4.4", "VENUE", "OTHER"), port, false); // so that the port itself is open to all
    settings.setString(TEMPLATE, "AllowedRemoteAddresses", "192.0.2.1");
    SocketAcceptor made = acceptor(venue, new MemoryStoreFactory());
    made.setSessionProvider(new InetSocketAddress("0.0.0.0", port), provider(venue, TEMPLATE));
    made.start();
    try (Stranger stranger = new Stranger(port, "BUYER", "")) {
      assertThat(stranger.readUntil("A")).doesNotContain("|35=A|");
    }
    assertThat(venue.callbacks).containsExactly("onCreate");
    assertThat(made.getSessions()).hasSize(1);
  }

  @Test
  void portWhoseSessionsAllHaveAddressesIsClosedToOthers() throws Exception {
    int port = Side.freePort();
    section(TEMPLATE, port, true);
    settings.setString(TEMPLATE, "AllowedRemoteAddresses", "192.0.2.1,192.0.2.2");
    acceptor(new Venue(port), new MemoryStoreFactory()).start();
    try (Stranger stranger = new Stranger(port, "BUYER", "")) {
      assertThat(stranger.readUntil("A")).isEmpty();
    } catch (java.net.SocketException e) {
      assertThat(e).hasMessageContaining("reset"); // closed before the Logon was read
    }
  }

  /** Each guess of a CompID left a session, and a folder of its store. */
  @Test
  void refusedLogonsLeaveNothing() throws Exception {
    int port = Side.freePort();
    Venue venue = new Venue(port);
    section(TEMPLATE, port, true);
    settings.setString(TEMPLATE, "FileStorePath", folder.resolve("store").toString());
    SocketAcceptor made = acceptor(venue, new FileStoreFactory(settings));
    made.start();
    for (int i = 0; i < 10; i++) {
      try (Stranger stranger = new Stranger(port, "GUESS" + i, "554=guess|")) {
        assertThat(stranger.readUntil("A")).doesNotContain("|35=A|");
      }
    }
    Side.await("no session", () -> made.getSessions().isEmpty());
    assertThat(Session.numSessions()).isZero();
    if (Files.exists(folder.resolve("store"))) {
      try (Stream<Path> files = Files.list(folder.resolve("store"))) {
        assertThat(files).isEmpty();
      }
    }
    try (Stranger buyer = new Stranger(port, "BUYER", "554=secret|")) {
      assertThat(buyer.readUntil("A")).contains("|35=A|");
    }
  }

  @Test
  void applicationIsAskedOnceAboutALogon() throws Exception {
    int port = Side.freePort();
    Venue venue = new Venue(port);
    section(TEMPLATE, port, true);
    acceptor(venue, new MemoryStoreFactory()).start();
    try (Stranger buyer = new Stranger(port, "BUYER", "")) {
      assertThat(buyer.readUntil("A")).contains("|35=A|");
      Side.await("onLogon", () -> venue.callbacks.contains("onLogon"));
      assertThat(venue.callbacks).containsOnlyOnce("fromAdmin A").containsOnlyOnce("onCreate");
    }
  }

  @Test
  void providerMakesSessionsOnItsPortAlone() throws Exception {
    int port = Side.freePort();
    int other = Side.freePort();
    Venue venue = new Venue(port);
    section(new SessionID("FIX.4.4", "VENUE", "ONE"), port, false);
    section(new SessionID("FIX.4.4", "VENUE", "TWO"), other, false);
    SocketAcceptor made = acceptor(venue, new MemoryStoreFactory());
    made.setSessionProvider(new InetSocketAddress("0.0.0.0", port),
        provider(venue, new SessionID("FIX.4.4", "VENUE", "ONE")));
    made.start();
    try (Stranger refused = new Stranger(other, "BUYER", ""); Stranger taken = new Stranger(port, "BUYER", "")) {
      assertThat(refused.readUntil("A")).doesNotContain("|35=A|");
      assertThat(taken.readUntil("A")).contains("|35=A|");
    }
  }

  @Test
  void providerOfAnUnknownPortOrTemplateIsAnErrorOfTheConfiguration() throws Exception {
    int port = Side.freePort();
    Venue venue = new Venue(port);
    section(TEMPLATE, port, true);
    SocketAddress elsewhere = new InetSocketAddress("0.0.0.0", port == 1024 ? 1025 : port - 1);
    SocketAcceptor made = acceptor(venue, new MemoryStoreFactory());
    made.setSessionProvider(elsewhere, provider(venue, TEMPLATE));
    assertThatThrownBy(made::start).isInstanceOf(ConfigError.class).hasMessageContaining("no session is accepted at");

    SocketAcceptor second = acceptor(venue, new MemoryStoreFactory());
    second.setSessionProvider(new InetSocketAddress("0.0.0.0", port),
        provider(venue, new SessionID("FIX.4.4", "NOBODY", "*")));
    assertThatThrownBy(second::start).isInstanceOf(ConfigError.class).hasMessageContaining("no section")
        .hasMessageContaining("NOBODY");
  }
}
